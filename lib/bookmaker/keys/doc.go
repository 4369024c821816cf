// Package keys is who may use the API: bookmakers' keys, what each of them opens,
// and the settings of its bookmaker.
//
// A key reads
//
//	tly_acme_k2v7mx4qhd3n_<52 characters of the secret><7 of a checksum>
//
// It names its bookmaker and its own public id, which lists and logs show. The
// secret has 256 random bits; stored is only the SHA-256 of the whole key, so that
// whoever reads the table can't use it, and nothing slower is needed against
// guessing. The checksum tells a mistyped or cut key from an unknown one without
// a look at the table.
//
// A key has scopes and may expire. Rotating it makes a second key and lets the
// first expire a while later, so that both work meanwhile. A [Checker] remembers
// what it has read for 30 seconds: a revoked key is refused everywhere by then.
package keys
