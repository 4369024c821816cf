package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is a parsed file of the module that is no test.
type source struct {
	pkg  string // its path in the module
	file *ast.File
}

func sources(t *testing.T, fset *token.FileSet) (files []source, structs map[string]bool) {
	t.Helper()
	structs = map[string]bool{}
	for path, p := range list(t) {
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, source{pkg: path, file: f})
			ast.Inspect(f, func(n ast.Node) bool {
				if spec, is := n.(*ast.TypeSpec); is {
					if _, is := spec.Type.(*ast.StructType); is {
						structs[path+"."+spec.Name.Name] = true
					}
				}
				return true
			})
		}
	}
	return files, structs
}

// named is the package and name of a literal's type, as the keys of structs are; "" where
// the literal is a row of a table, which leaves its type out.
func (s source) named(lit *ast.CompositeLit) string {
	switch typ := lit.Type.(type) {
	case *ast.Ident:
		return s.pkg + "." + typ.Name
	case *ast.IndexExpr: // of a generic type
		return s.named(&ast.CompositeLit{Type: typ.X})
	case *ast.SelectorExpr:
		for _, i := range s.file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			name := path[strings.LastIndexByte(path, '/')+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			if x, is := typ.X.(*ast.Ident); is && x.Name == name {
				return strings.TrimPrefix(path, module) + "." + typ.Sel.Name
			}
		}
	}
	return ""
}

// A struct's values are given by the names of its fields, where a literal names its type.
// The rows of a table may leave them out: there the columns say what is what. Structs of
// other modules are left to go vet.
func TestKeyedLiterals(t *testing.T) {
	fset := token.NewFileSet()
	files, structs := sources(t, fset)
	for _, s := range files {
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, is := n.(*ast.CompositeLit)
			if !is || len(lit.Elts) == 0 || !structs[s.named(lit)] {
				return true
			}
			if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
				t.Errorf("%s: a literal of %s has values without the names of their fields: write each as name: value", fset.Position(lit.Pos()), s.named(lit))
			}
			return true
		})
	}
}
