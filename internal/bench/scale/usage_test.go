package main

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// classOf is what kind of partition key one is: what stands before its first #.
func classOf(pk string) string {
	class, _, _ := strings.Cut(pk, "#")
	return class
}

// usage is how many units a table has used, in the busiest second and in all.
type usage struct {
	second        int64
	writes, reads float64 // in that second
	keys          map[string]*[2]float64
	inSecond      map[*partition]*[2]float64
	table         peak
	partition     peak    // the busiest
	writesInAll   float64 // whenever
	readsInAll    float64
	from, to      time.Time // what is counted; zero for everything
	classes       map[string]*peak
}

// peak is the most of a second, and the sum.
type peak struct {
	writes, reads       float64
	allWrites, allReads float64
}

func (p *peak) most(writes, reads float64) {
	p.writes, p.reads = max(p.writes, writes), max(p.reads, reads)
}

// add notes what a request took of a key.
func (u *usage) add(n need, p *partition, now time.Time) {
	u.writesInAll += n.writes
	u.readsInAll += n.reads
	if now.Before(u.from) || !u.to.IsZero() && now.After(u.to) {
		return
	}
	if second := now.Unix(); second != u.second {
		u.end()
		u.second, u.writes, u.reads, u.keys, u.inSecond = second, 0, 0, map[string]*[2]float64{}, map[*partition]*[2]float64{}
	}
	class := u.class(classOf(n.pk))
	class.allWrites += n.writes
	class.allReads += n.reads
	u.table.allWrites += n.writes
	u.table.allReads += n.reads
	u.writes += n.writes
	u.reads += n.reads
	plus(u.keys, n.pk, n)
	plus(u.inSecond, p, n)
}

func plus[K comparable](to map[K]*[2]float64, key K, n need) {
	of := to[key]
	if of == nil {
		of = &[2]float64{}
		to[key] = of
	}
	of[0] += n.writes
	of[1] += n.reads
}

func (u *usage) class(name string) *peak {
	if u.classes[name] == nil {
		u.classes[name] = &peak{}
	}
	return u.classes[name]
}

// end ends a second.
func (u *usage) end() {
	u.table.most(u.writes, u.reads)
	for _, of := range u.inSecond {
		u.partition.most(of[0], of[1])
	}
	for pk, of := range u.keys {
		u.class(classOf(pk)).most(of[0], of[1])
	}
}

// names are the classes, in order.
func (u *usage) names() []string { return slices.Sorted(maps.Keys(u.classes)) }
