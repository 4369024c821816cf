package metrics

// Divided is for tests.
var Divided = divided
