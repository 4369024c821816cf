package permissions

// What an operator's command works on.
const (
	OnTable       = "the table"
	OnQueues      = "queues"       // all that have dead letters
	OnDeadLetters = "dead letters" // the queues of them
)

// OperatorUse is what a command of tally's does with one thing of a stack's, in the
// hands of an operator. A new command of theirs is declared here: tests hold it
// against what the command calls and against the OperatorPolicy of template.yaml.
type OperatorUse struct {
	Command string // such as quarantine
	On      string // OnTable, OnQueues, OnDeadLetters, or a queue's short name
	// Partitions are what the partition keys begin with that it touches of the table:
	// an operator can't reach bets, reports or the log.
	Partitions []string
	// Reads are those of which it only gets items: an operator can't write what is stored of
	// a draw, such as its head, its states and its results.
	Reads   []string
	Actions []string // as policies name them
	// Seldom are actions that it calls only after an answer was lost, for a late correction,
	// or where the service has tasks that the emulator lacks.
	Seldom []string
}

// OfOperators lists what operators' commands do.
func OfOperators() []OperatorUse {
	const get, put, remove, query = "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:Query"
	sends := []string{"sqs:GetQueueUrl", "sqs:SendMessage"}
	takes := []string{"sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:DeleteMessage"}
	return []OperatorUse{
		{Command: "quarantine", On: OnTable, Partitions: []string{"QUARANTINE#", "RELEASED#"}, Reads: []string{"DRAW#"},
			Actions: []string{query, put, remove}, Seldom: []string{get}},
		{Command: "quarantine", On: "studio-messages", Actions: sends},
		{Command: "quarantine", On: "operator-orders", Actions: sends},
		{Command: "quarantine", On: "sweeps", Actions: sends},
		{Command: "send", On: "studio-messages", Actions: sends},
		{Command: "send", On: "operator-orders", Actions: sends},
		{Command: "send", On: "studio-replies", Actions: takes},
		{Command: "replies", On: "studio-replies", Actions: takes},
		{Command: "tables", On: OnTable, Partitions: []string{"TABLE#", "TABLES"}, Actions: []string{get, query}},
		{Command: "redrive", On: OnQueues, Actions: []string{"sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:SendMessage"}},
		{Command: "redrive", On: OnDeadLetters, Actions: []string{"sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:DeleteMessage"}},
		{Command: "senders", On: OnTable, Partitions: []string{"SENDERS"}, Actions: []string{get, put}},
		{Command: "keys", On: OnTable, Partitions: []string{"BOOKMAKER#"}, Actions: []string{get, put, query}},
		{Command: "disputes", On: OnTable, Partitions: []string{"DISPUTED", "DISPUTES#"}, Reads: []string{"DRAW#"}, Actions: []string{get, put, query, remove}},
		{Command: "disputes", On: "operator-orders", Actions: sends},
		{Command: "webhooks", On: OnTable, Partitions: []string{"BOOKMAKER#", "FEED#", "HOOKS", "PUSHES#"}, Actions: []string{get, put, query, remove}},
	}
}
