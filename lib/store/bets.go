package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/lib/rulebook/settlement"
)

// StoredBet is a bet, a side wager, a cancellation or a refusal as it is kept in
// a bookmaker's partition. Selection and currency are texts here: the partition
// does not know the game.
type StoredBet struct {
	SK         string
	Selection  string
	Odds       int64 // ten-thousandths; 0 in a game with a paytable
	Stake      int64 // minor units
	Currency   string
	Rounding   int64
	AcceptedAt settlement.Instant // of a cancellation: when it was made
	Round      int64
	Shop       string
	// Refused is the code of a refusal: it stands at a bet's key so that an
	// earlier try still in flight can't land there any more.
	Refused string
	// Generation counts the refusals at one key. Only what was computed from the
	// newest may take its place.
	Generation int64
	ExpiresAt  settlement.Instant
}

// The attributes of a stored bet, beside its keys and when it expires. Names of one letter:
// they count in every unit. What is empty or zero is left out.
const (
	betSelection  = "s"
	betOdds       = "o"
	betStake      = "k"
	betCurrency   = "c"
	betRounding   = "m"
	betAcceptedAt = "a"
	betRound      = "r"
	betShop       = "p"
	betRefused    = "x"
	betGeneration = "n"
)

func (b StoredBet) encode(pk string) attributes {
	a := key(pk, b.SK)
	texts := [...]struct{ name, value string }{{betSelection, b.Selection}, {betCurrency, b.Currency}, {betShop, b.Shop}, {betRefused, b.Refused}}
	for _, f := range texts {
		if f.value != "" {
			a[f.name] = text(f.value)
		}
	}
	numbers := [...]struct {
		name  string
		value int64
	}{{betOdds, b.Odds}, {betStake, b.Stake}, {betRounding, b.Rounding}, {betAcceptedAt, int64(b.AcceptedAt)}, {betRound, b.Round}, {betGeneration, b.Generation}}
	for _, f := range numbers {
		if f.value != 0 {
			a[f.name] = number(f.value)
		}
	}
	if b.ExpiresAt != 0 {
		a[attrExpires] = number(int64(b.ExpiresAt)/1000 + 1)
	}
	return a
}

func decodeBet(a attributes) StoredBet {
	return StoredBet{SK: textOf(a, attrSK), Selection: textOf(a, betSelection), Currency: textOf(a, betCurrency), Shop: textOf(a, betShop), Refused: textOf(a, betRefused),
		Odds: numberOf(a, betOdds), Stake: numberOf(a, betStake), Rounding: numberOf(a, betRounding), AcceptedAt: settlement.Instant(numberOf(a, betAcceptedAt)),
		Round: numberOf(a, betRound), Generation: numberOf(a, betGeneration), ExpiresAt: settlement.Instant(numberOf(a, attrExpires) * 1000)}
}

// CreateBet writes a bet that must not be there yet and returns what is there
// instead: the same bet after a lost answer, an earlier try, or a refusal.
func (t *Table) CreateBet(ctx context.Context, pk string, bet StoredBet) (existing *StoredBet, err error) {
	found, err := t.create(ctx, bet.encode(pk))
	if err != nil {
		return nil, fmt.Errorf("writing %s / %s: %w", pk, bet.SK, err)
	}
	if found == nil {
		return nil, nil
	}
	there := decodeBet(found)
	return &there, nil
}

// GetBet reads a bet consistently; nil when there is none.
func (t *Table) GetBet(ctx context.Context, pk, sk string) (*StoredBet, error) {
	a, err := t.get(ctx, pk, sk)
	if err != nil || a == nil {
		return nil, err
	}
	bet := decodeBet(a)
	return &bet, nil
}

// ReplaceRefusal writes a bet, or a newer refusal, over a refusal that is still
// the one that was read. It returns what is there instead.
func (t *Table) ReplaceRefusal(ctx context.Context, pk string, refusal, next StoredBet) (existing *StoredBet, err error) {
	err = t.put(ctx, &dynamodb.PutItemInput{TableName: &t.name, Item: next.encode(pk),
		ConditionExpression: aws.String(betGeneration + " = :n"), ExpressionAttributeValues: attributes{":n": number(refusal.Generation)}})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		if err != nil {
			return nil, fmt.Errorf("writing %s / %s over a refusal: %w", pk, next.SK, err)
		}
		return nil, nil
	}
	existing, err = t.GetBet(ctx, pk, next.SK)
	if err == nil && existing == nil {
		return nil, ErrChanged // deleted in between: it has expired
	}
	return existing, err
}
