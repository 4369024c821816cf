package pages

// File is a file of the public site.
type File struct {
	Path        string // from the root of the site, without a leading slash
	Data        []byte
	ContentType string
	// Immutable says that the file never has other bytes under this path.
	Immutable bool
}
