package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// declared are the exported types of the module's packages, by package and name. An alias of
// another package's type is that type.
func declared(files []source) map[string]string {
	types := map[string]string{}
	for _, s := range files {
		for _, d := range s.file.Decls {
			general, is := d.(*ast.GenDecl)
			if !is || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				spec := spec.(*ast.TypeSpec)
				name := s.pkg + "." + spec.Name.Name
				if types[name] = name; spec.Assign.IsValid() {
					if other := s.named(&ast.CompositeLit{Type: spec.Type}); other != "" {
						types[name] = other
					}
				}
			}
		}
	}
	return types
}

// namesOf are the identifiers of a file that only name a field, a method or what is selected:
// they are no types of this package.
func namesOf(f *ast.File) map[*ast.Ident]bool {
	names := map[*ast.Ident]bool{}
	note := func(e ast.Expr) {
		if id, is := e.(*ast.Ident); is {
			names[id] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			note(n.Sel)
		case *ast.KeyValueExpr:
			note(n.Key)
		case *ast.FuncDecl:
			note(n.Name)
		case *ast.Field:
			for _, name := range n.Names {
				note(name)
			}
		}
		return true
	})
	return names
}

// meeting are the module's types that a file uses, by their names alone.
func (s source) meeting(types map[string]string) map[string]map[string]bool {
	found, names := map[string]map[string]bool{}, namesOf(s.file)
	ast.Inspect(s.file, func(n ast.Node) bool {
		e, is := n.(ast.Expr)
		if id, plain := n.(*ast.Ident); !is || plain && names[id] {
			return true
		}
		if of, is := types[s.named(&ast.CompositeLit{Type: e})]; is {
			name := of[strings.LastIndexByte(of, '.')+1:]
			if found[name] == nil {
				found[name] = map[string]bool{}
			}
			found[name][of] = true
		}
		return true
	})
	return found
}

// twice are names that several types may have in one file, and why.
var twice = map[string]string{
	"Config": "every function of lib/lambda has its own, which is never named without its package",
}

// A name of a type means one thing in a file: readers need not look for the package to know
// which of two is meant.
func TestNamesMeet(t *testing.T) {
	fset := token.NewFileSet()
	files, _ := sources(t, fset)
	types := declared(files)
	for _, s := range files {
		for name, of := range s.meeting(types) {
			if _, allowed := twice[name]; len(of) > 1 && !allowed {
				t.Errorf("%s: %s is %s: give one of them a name of its own", fset.File(s.file.Pos()).Name(), name, strings.Join(slices.Sorted(maps.Keys(of)), " and "))
			}
		}
	}
}

// What is wrong has three words, by what it is wrong with: docs/glossary.md says which.
// Errors of Go's, whose names end in Error, say what could not be done.
var wrong = []string{"problem", "fault", "finding"}

// others are words that would say the same.
var others = []string{
	"complaint", "contradiction", "damage", "defect", "difference", "failure", "flaw", "issue", "mismatch", "mistake", "refusal", "trouble", "violation", "wrong",
}

func TestWhatIsWrong(t *testing.T) {
	fset := token.NewFileSet()
	files, _ := sources(t, fset)
	used := map[string]bool{}
	for _, s := range files {
		if within(s.pkg, "internal") {
			continue // test kits do damage, too
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			for _, word := range slices.Concat(wrong, others) {
				if !strings.HasSuffix(strings.TrimSuffix(strings.ToLower(spec.Name.Name), "s"), word) {
					continue
				}
				if used[word] = true; !slices.Contains(wrong, word) {
					t.Errorf("%s: the type %s: what is wrong is called %s", fset.Position(spec.Pos()), spec.Name.Name, strings.Join(wrong, ", "))
				}
			}
			return true
		})
	}
	for _, word := range wrong {
		if !used[word] {
			t.Errorf("no type is called %s: the words for what is wrong are fewer", word)
		}
	}
}
