package main

// closest returns the name that a mistyped one most likely means, or "" when
// none is near.
func closest(typed string, names []string) (best string) {
	near := 1 + len(typed)/3
	for _, name := range names {
		if d := distance(typed, name); d <= near {
			best, near = name, d-1
		}
	}
	return best
}

// distance is Levenshtein's: how many characters to insert, delete or replace.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, left := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, right := range to {
			above := row[j+1]
			row[j+1] = min(above, row[j]) + 1
			if left == right {
				row[j+1] = min(row[j+1], diagonal)
			} else {
				row[j+1] = min(row[j+1], diagonal+1)
			}
			diagonal = above
		}
	}
	return row[len(to)]
}
