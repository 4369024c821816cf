package games_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
)

// paragraphs are the paragraphs of the rulebook that tally quotes, with what each of
// them says, in our words. A quote is right when that is why the bet, the draw or the
// facts came to what they did.
var paragraphs = map[string]string{
	"BAC-1.18":    "a perfect pair is two cards of one rank and one suit",
	"BAC-2.1":     "each side gets two cards, and in some cases a third",
	"BAC-2.2":     "cards are dealt one by one, the Player's first",
	"BAC-2.3":     "the side closer to 9 wins",
	"BAC-2.3.1":   "equal points are a tie: bets on it win, those on Player and Banker come back",
	"BAC-2.5.3.2": "pairs are made of a side's first two cards alone",
	"BAC-2.5.3.3": "small are four cards in all, big five or more",
	"BAC-2.6.1":   "the Player draws on 0 to 5 and stands on 6 and 7",
	"BAC-2.6.2":   "the Banker draws by its own sum and the Player's third card",
	"BAC-2.7.1":   "after a natural nobody draws, whatever else is said",
	"BAC-2.7.2":   "where the Player stands on 6 or 7, the Banker draws on 0 to 5",
	"BAC-3.2":     "betting rounds follow each other; each has bets of its own",
	"BAC-5.1.4":   "bets on a cancelled draw come back",

	"LBAC-2.1.2":   "a bet on the Banker's hand wins when it has more points",
	"LBAC-2.1.3":   "a bet on the Player's hand wins when it has more points",
	"LBAC-2.1.4":   "a bet on a tie wins when the points are equal",
	"LBAC-2.1.5":   "after a tie all other bets come back",
	"LBAC-2.1.6":   "once the time has run out no bet is taken, raised or taken back",
	"LBAC-2.1.8":   "a malfunction voids what was bet",
	"LBAC-3.4.3":   "two hands are dealt face up, cards by turns",
	"LBAC-3.5.1.1": "with a natural 8 or 9 both sides stand",
	"LBAC-3.5.1.2": "the Player stands on 6 and 7",
	"LBAC-3.5.1.3": "where the Player stands, the Banker draws on 5 or less",
	"LBAC-3.5.1.4": "the Player draws on 5 or less",
	"LBAC-3.5.1.5": "the Banker draws by its own sum and the Player's third card",

	"DICE-2.2":   "five equal dice with the faces 1 to 6 are played with",
	"DICE-2.3":   "the dice are rolled once, but where a roll has to be repeated",
	"DICE-2.5":   "the result is what the upper faces of the five dice show",
	"DICE-2.7":   "the combinations of five dice, and the order in which each is shown",
	"DICE-3.1.1": "the betting round lies between the draws, and the broadcast begins when it is over",
	"DICE-5.1":   "why a draw may be cancelled",
	"DICE-5.2":   "why a roll is repeated",

	"LUCKY5-1.2": "36 balls, nine of each colour, numbered 1 to 36, with the sums of the colours",
	"LUCKY5-2.2": "a draw has exactly five balls; otherwise it is void and bets come back",
	"LUCKY5-2.3": "the order of the balls is that of the cylinders, from left to right",
	"LUCKY5-3.2": "the betting round lies between the draws, and the broadcast begins when it is over",
	"LUCKY5-5.1": "why a draw may be cancelled",
	"LUCKY7-1.2": "42 balls, 21 yellow and 21 black, numbered 1 to 42, with the sums of the colours",
	"LUCKY7-2.2": "a draw has at least seven balls; otherwise it is void and bets come back",
	"LUCKY7-2.3": "of more than seven balls in the tube the first seven count",
	"LUCKY7-3.2": "the betting round lies between the draws, and the broadcast begins when it is over",
	"LUCKY7-5.1": "why a draw may be cancelled",

	"POK-1.2":   "six positions get two open cards each",
	"POK-1.6":   "five community cards go with every hand",
	"POK-2.2":   "the hand of the best combination wins",
	"POK-2.3":   "all hands of the best combination win",
	"POK-2.4":   "the combinations that a hand can make, and which is stronger",
	"POK-3":     "how cards are dealt and betting rounds follow each other",
	"POK-3.2":   "the first betting round is before the cards; later ones follow the cards that are shown",
	"POK-3.6.3": "no bets are taken on what is marked won or lost already",
	"POK-5.1.4": "bets on a cancelled draw come back",

	"POK-5.4":   "what was bet where the data were shown wrong is void, once that is proved",
	"WAR-1.8":   "what a draw comes to may be read in several ways, each of which can be bet on",
	"WAR-2.2":   "Player and Dealer get one open card each, the Player first",
	"WAR-2.3.1": "the higher card wins",
	"WAR-2.3.2": "equal ranks are war: bets on it win, those on the sides lose",
	"WAR-3.2":   "betting rounds follow each other; each has bets of its own",
	"WAR-5.1.4": "bets on a cancelled draw come back",

	"WHEEL-1.2":    "nineteen equal sectors: 1 to 18, and a cup",
	"WHEEL-2.3":    "the wheel is turned once, but where a turn has to be repeated",
	"WHEEL-2.6":    "the result is the number or the symbol at which the pointer stops",
	"WHEEL-2.8.1":  "1 is black and odd",
	"WHEEL-2.8.2":  "2 is grey and even",
	"WHEEL-2.8.3":  "3 is red and odd",
	"WHEEL-2.8.4":  "4 is black and even",
	"WHEEL-2.8.5":  "5 is grey and odd",
	"WHEEL-2.8.6":  "6 is red and even",
	"WHEEL-2.8.7":  "7 is black and odd",
	"WHEEL-2.8.8":  "8 is grey and even",
	"WHEEL-2.8.9":  "9 is red and odd",
	"WHEEL-2.8.10": "10 is black and even",
	"WHEEL-2.8.11": "11 is grey and odd",
	"WHEEL-2.8.12": "12 is red and even",
	"WHEEL-2.8.13": "13 is black and odd",
	"WHEEL-2.8.14": "14 is grey and even",
	"WHEEL-2.8.15": "15 is red and odd",
	"WHEEL-2.8.16": "16 is black and even",
	"WHEEL-2.8.17": "17 is grey and odd",
	"WHEEL-2.8.18": "18 is red and even",
	"WHEEL-2.8.19": "the last sector is the cup: it has no colour and no parity",
	"WHEEL-3.1.1":  "the betting round lies between the draws, and the broadcast begins when it is over",
	"WHEEL-4.1":    "why a draw may be cancelled",

	"BJ-1.2.1": "the table has room for seven players",
	"BJ-2.1.2": "but for splits, doubles and insurance no bet is made, changed or taken back once the first card is dealt",
	"BJ-2.1.5": "a malfunction voids what was bet",
	"BJ-2.2":   "equal totals, and two blackjacks, return the bet; the dealer's blackjack takes it",
	"BJ-2.3.1": "winning bets pay 1 to 1, a blackjack 3 to 2",
	"BJ-2.3.3": "a hand over 21 loses its bet",
	"BJ-2.5.1": "insurance may be bet under the dealer's ace; it wins when the hole card counts ten and loses otherwise",
	"BJ-2.5.2": "insurance is bet right after the second cards, before any further card",
	"BJ-2.5.3": "winning insurance pays 2 to 1",
	"BJ-2.6":   "a double is made on the first two cards, and one card more is dealt",
	"BJ-2.7":   "a pair may be split once into two hands, with a second bet",
	"BJ-3.4":   "the order in which two cards each are dealt, the dealer's first one open",
	"BJ-3.7":   "the dealer looks at the hole card under an ace only, and a blackjack ends play",
	"BJ-4.4.1": "a player draws below 21 only",
	"BJ-4.4.2": "the dealer draws up to 16 and stands on 17 and more",
	"BJ-4.4.3": "the dealer draws nothing where no hand's result depends on it",

	"ROU-2.1.1": "bets are made until no more are called or the time has run out",
	"ROU-2.1.6": "a malfunction voids what was bet",
	"ROU-2.2":   "what each kind of bet pays",
	"ROU-3.1.1": "a spin has at least three revolutions",
	"ROU-3.3.2": "the wheel has the pockets 0 to 36, with their colours",
}

// quoted is a rule id in the code; of the two ball games the prefix comes before it.
var quoted = regexp.MustCompile(`"((?:BAC|LBAC|DICE|LUCKY5|LUCKY7|POK|WAR|WHEEL|BJ|ROU)?-[0-9]+(?:\.[0-9]+)*)"`)

// Every paragraph that the games quote says what it is quoted for, and none of the
// paragraphs above is there for nothing.
func TestQuotedParagraphsSayWhatIsClaimed(t *testing.T) {
	seen := map[string]bool{}
	quote := func(id, where string) {
		seen[id] = true
		if paragraphs[id] == "" {
			t.Errorf("%s quotes %s: say in the table what that paragraph says, and whether it is why", where, id)
		}
	}
	for _, game := range games.All() {
		quote(game.CancelRule, game.ID)
		quote(game.DecidedRule(), game.ID+", of a decided selection")
		quote(game.VoidedRule(), game.ID+", of a voided bet")
		for _, family := range game.Families {
			quote(family.Rule, game.ID+" "+family.Name)
			quote(family.Until, game.ID+" "+family.Name+", when it is late")
		}
	}
	eachSector(t, func(rule, _ string) { quote(rule, "wheel") })
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range quoted.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(match[1], "-") {
				quote(match[1], path)
				continue
			}
			for _, prefix := range []string{"LUCKY5", "LUCKY7"} {
				quote(prefix+match[1], path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range paragraphs {
		t.Run(id, func(t *testing.T) {
			if !seen[id] {
				t.Errorf("%s is quoted nowhere", id)
			}
		})
	}
}

// eachSector tells what each sector of the wheel quotes for its colour, and its outcome.
func eachSector(t *testing.T, report func(rule, outcome string)) {
	wheel, _ := games.Find("wheel")
	for n := range 19 {
		sector := strconv.Itoa(n)
		if n == 0 {
			sector = "cup"
		}
		o := ruletest.Outcome(t, wheel, `{"spins":[{"turns":3,"sector":"`+sector+`"}]}`)
		report(wheel.Judge(o, ruletest.Selection(t, wheel, "red")).Rule, ruletest.JSON(o))
	}
}

// The paragraph that a sector quotes says its number, colour and parity.
func TestSectorsQuoteTheirParagraphs(t *testing.T) {
	eachSector(t, func(rule, outcome string) {
		var o struct{ Sector, Colour, Parity string }
		if err := json.Unmarshal([]byte(outcome), &o); err != nil {
			t.Fatal(err)
		}
		want := o.Sector + " is " + o.Colour + " and " + o.Parity
		if o.Sector == "cup" {
			want = paragraphs["WHEEL-2.8.19"]
		}
		if paragraphs[rule] != want {
			t.Errorf("%s quotes %s: %q", outcome, rule, paragraphs[rule])
		}
	})
}
