package main

import "strings"

// didYouMean ends the sentence about an unknown name: with the closest and those
// that begin with it, each as it is typed, with before in front; or with nothing.
func didYouMean(before, typed string, names []string) string {
	near := closest(typed, names)
	var like []string
	for _, name := range names {
		begun := typed != "" && strings.HasPrefix(name, strings.ToLower(typed))
		if begun || near != "" && name == near {
			like = append(like, before+name)
		}
	}
	if len(like) == 0 {
		return ""
	}
	return "; did you mean " + either(like) + "?"
}

// closest returns the name that a mistyped one most likely means, or "" when
// none is near, whatever the case of its letters.
func closest(typed string, names []string) (best string) {
	typed = strings.ToLower(typed)
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
