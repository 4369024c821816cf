package main

import "testing"

func TestSenders(t *testing.T) {
	const riga, malta = "AROAEXAMPLEOFRIGA", "AROAEXAMPLEOFMALTA"
	o := newOperator(t, "senders")
	o.types(0, "there is no list: everyone whom the queue lets in may speak for every table\n", "senders", "list")
	o.types(0, "the list is not enforced: everyone …\n", "senders", "enforce", "off")
	o.types(0, "…"+riga+"…war-* bj-1…studio in Riga\nthe list is not enforced: …",
		"senders", "allow", riga, "war-*", "bj-1", "--note", "studio in Riga")
	o.types(0, "sender…"+riga+"…studio in Riga\n", "senders", "enforce", "on")
	o.types(0, "…"+riga+"…"+malta+"…*…", "senders", "allow", malta, "*")
	o.types(0, "…"+malta+"…", "senders", "remove", riga)
	o.types(1, "tally: the list of senders: "+riga+": there is no such sender in the list\n", "senders", "remove", riga)
	o.types(0, "the list is empty: nobody may send\n", "senders", "remove", malta)
	o.types(2, "tally: \"riga\" is no id of a sender: write that of a role or a user…", "senders", "allow", "riga", "*")
	o.types(2, "tally: \"war 1\" is no table: write its name…", "senders", "allow", riga, "war 1")
	o.types(2, "tally: give a sender and its tables\n…", "senders", "allow", riga)
	o.types(2, "tally: write on or off\n…", "senders", "enforce", "perhaps")
	o.observed.compare(t, "senders")
}
