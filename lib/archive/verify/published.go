package verify

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// maxKeys bounds how many keys a log publishes.
const maxKeys = 16

// published are the keys that a log publishes; nil where it publishes none.
type published []note.Verifier

// publishedKeys reads the keys that a log publishes. It stops at what is no key: only
// those before it count.
func publishedKeys(ctx context.Context, source Source) (published, error) {
	text, err := source.Get(ctx, tiles.KeysPath)
	switch {
	case errors.Is(err, ErrMissing):
		return nil, nil
	case errors.Is(err, objects.ErrTooLong):
		return published{}, nil
	case err != nil:
		return nil, err
	}
	keys := published{}
	for line := range strings.Lines(string(text)) {
		key, err := note.NewVerifier(strings.TrimSpace(line))
		if err != nil || len(keys) == maxKeys {
			break
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// compare says whether the keys that have signed a checkpoint are published.
func (p published) compare(c *checkpoint.Checkpoint) Published {
	if p == nil {
		return PublishedNothing
	}
	for i := range c.Keys {
		if _, err := note.VerifierList(p...).Verifier(c.Key(i)); err != nil {
			return PublishedOthers
		}
	}
	return PublishedSame
}

// elsewhere explains a signature by no known key, where the keys that the log publishes
// have signed.
func elsewhere(signed []byte, options Params, p published, err error) string {
	if len(p) == 0 || !errors.Is(err, checkpoint.ErrSignature) {
		return ""
	}
	if _, err := checkpoint.Open(signed, options.Origin, note.VerifierList(p...)); err != nil {
		return ""
	}
	return "; it is signed by the key that the log itself publishes, which is not yours: compare yours with the operator's announcement"
}
