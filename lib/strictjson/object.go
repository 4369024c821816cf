package strictjson

// Object is a JSON object whose members are asked for by name.
type Object struct{ v Value }

// Path returns where the object stands.
func (o Object) Path() string { return o.v.Path() }

// Optional returns the member of that name, if the object has it.
func (o Object) Optional(name string) (v Value, present bool) {
	d := o.v.d
	for child := o.v.i + 1; child < o.v.node().end; child = d.nodes[child].end {
		n := &d.nodes[child]
		if n.repeated || !sameName(d.text[n.nameStart:n.nameEnd], name) {
			continue
		}
		n.asked = true
		return Value{d: d, i: child}, true
	}
	return Value{}, false
}

func sameName(raw []byte, name string) bool {
	if len(raw) == len(name)+2 && string(raw[1:len(raw)-1]) == name {
		return true
	}
	return len(raw) > len(name)+2 && string(unquote(raw)) == name
}

// Required returns the member of that name and reports when there is none.
func (o Object) Required(name string) (v Value, present bool) {
	v, present = o.Optional(name)
	if !present && len(o.v.d.problems) < maxProblems {
		o.v.d.Report(MissingField, string(appendName([]byte(o.Path()), name)), "")
	}
	return v, present
}

// Close reports every member that was never asked for.
func (o Object) Close() {
	for v := range o.Rest {
		if len(o.v.d.problems) >= maxProblems {
			return
		}
		if !o.repeats(v) {
			o.v.d.reportAt(UnknownField, v.i, "")
		}
	}
}

// repeats reports whether an earlier member has the same name. Parse has marked
// such members; in the elements of a list read by Each they are not.
func (o Object) repeats(v Value) bool {
	d, name := o.v.d, v.Name()
	for child := o.v.i + 1; child < v.i; child = d.nodes[child].end {
		if sameName(d.text[d.nodes[child].nameStart:d.nodes[child].nameEnd], name) {
			return true
		}
	}
	return false
}

// Rest yields every member that was not asked for so far.
func (o Object) Rest(yield func(Value) bool) {
	d := o.v.d
	for child := o.v.i + 1; child < o.v.node().end; child = d.nodes[child].end {
		if n := &d.nodes[child]; !n.asked && !n.repeated && !yield(Value{d: d, i: child}) {
			return
		}
	}
}

// String returns a required string.
func (o Object) String(name string) string {
	v, present := o.Required(name)
	if !present {
		return ""
	}
	text, _ := v.String()
	return string(text)
}

// Int returns a required whole number.
func (o Object) Int(name string) int64 {
	v, present := o.Required(name)
	if !present {
		return 0
	}
	n, _ := v.Int()
	return n
}

// Bool returns an optional true or false, false when absent.
func (o Object) Bool(name string) bool {
	v, present := o.Optional(name)
	if !present {
		return false
	}
	flag, _ := v.Bool()
	return flag
}

// Strings returns a required list of strings.
func (o Object) Strings(name string) []string {
	v, present := o.Required(name)
	if !present {
		return nil
	}
	return v.texts()
}

// OptionalTexts returns a list of strings, nil when absent.
func (o Object) OptionalTexts(name string) []string {
	v, present := o.Optional(name)
	if !present {
		return nil
	}
	return v.texts()
}

func (v Value) texts() []string {
	elements, _ := v.Elements()
	texts := make([]string, 0, len(elements))
	for _, element := range elements {
		text, _ := element.String()
		texts = append(texts, string(text))
	}
	return texts
}

// TextLists returns a required list of lists of strings.
func (o Object) TextLists(name string) [][]string {
	v, present := o.Required(name)
	if !present {
		return nil
	}
	elements, _ := v.Elements()
	lists := make([][]string, 0, len(elements))
	for _, element := range elements {
		lists = append(lists, element.texts())
	}
	return lists
}

// Ints returns a required list of whole numbers.
func (o Object) Ints(name string) []int64 {
	v, present := o.Required(name)
	if !present {
		return nil
	}
	elements, _ := v.Elements()
	numbers := make([]int64, 0, len(elements))
	for _, element := range elements {
		n, _ := element.Int()
		numbers = append(numbers, n)
	}
	return numbers
}

// Numerals returns a list that Wholes has read as it is written, which tells numbers
// apart that pass 64 bits.
func (o Object) Numerals(name string) []string {
	v, present := o.Optional(name)
	if !present || v.node().kind != '[' {
		return nil
	}
	elements, _ := v.Elements()
	numerals := make([]string, 0, len(elements))
	for _, element := range elements {
		numerals = append(numerals, string(element.Raw()))
	}
	return numerals
}

// NonEmptyObjects returns a required list of objects that must not be empty.
func (o Object) NonEmptyObjects(name string) []Object {
	return o.objects(name, true)
}

// Objects returns a required list of objects.
func (o Object) Objects(name string) []Object { return o.objects(name, false) }

func (o Object) objects(name string, nonEmpty bool) []Object {
	v, present := o.Required(name)
	if !present {
		return nil
	}
	elements, isList := v.Elements()
	if nonEmpty && isList && len(elements) == 0 {
		o.v.d.Report(MissingField, v.Path()+"[0]", "the list must not be empty")
	}
	objects := make([]Object, 0, len(elements))
	for _, element := range elements {
		if object, ok := element.Object(); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// Uint returns a required whole number that must not be negative.
func (o Object) Uint(name string) int64 {
	v, present := o.Required(name)
	if !present {
		return 0
	}
	n, ok := v.Int()
	if ok && n < 0 {
		v.Wrong("a whole number of at least 0")
	}
	return n
}

// NullableText returns a required member that is a string or null.
func (o Object) NullableText(name string) (text string, present bool) {
	v, ok := o.Required(name)
	if !ok || v.Null() {
		return "", false
	}
	bytes, ok := v.String()
	return string(bytes), ok
}

// Members yields every member, asked for or not.
func (o Object) Members(yield func(Value) bool) {
	d := o.v.d
	for child := o.v.i + 1; child < o.v.node().end; child = d.nodes[child].end {
		if !d.nodes[child].repeated && !yield(Value{d: d, i: child}) {
			return
		}
	}
}
