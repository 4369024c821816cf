"""Plays one draw of each game, as a studio does: every message is sent, and its reply
awaited before the next.

    play.py DRAWS NUMBER

DRAWS is a file of what happens in the draws, NUMBER their running number at their tables:
1 at first, and one more each time. Replies are printed, one a line. docs/studio.md says how
to run it.
"""

import datetime
import json
import os
import sys

import boto3

PATIENCE = 20  # seconds without a reply, after which a message is sent again


def time(later=0):
    """The time as tally wants it: RFC 3339 in UTC, with milliseconds."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=later)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


class Queues:
    """The two queues that a studio knows."""

    def __init__(self, messages, replies):
        self.sqs = boto3.client("sqs")
        self.messages, self.replies = messages, replies

    def send(self, message):
        """Sends a message until there is a reply to it, and returns the reply."""
        body = json.dumps(message)
        for _ in range(10):
            self.sqs.send_message(QueueUrl=self.messages, MessageBody=body)
            until = datetime.datetime.now() + datetime.timedelta(seconds=PATIENCE)
            while datetime.datetime.now() < until:
                for reply in self.receive():
                    if reply["id"] == message["id"]:
                        return reply
                    # Else it answers an earlier message a second time: queues do so.
            # The same message, with the same id: if tally has it, it says "replay".
        sys.exit(f"no reply to {message['id']}")

    def receive(self):
        got = self.sqs.receive_message(QueueUrl=self.replies, MaxNumberOfMessages=10, WaitTimeSeconds=5)
        for one in got.get("Messages", []):
            self.sqs.delete_message(QueueUrl=self.replies, ReceiptHandle=one["ReceiptHandle"])
            yield json.loads(one["Body"])


class Draw:
    """One draw, from its opening to its result."""

    def __init__(self, queues, game, number):
        self.queues = queues
        self.sent = 0
        table = "py-" + game
        today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
        self.of = {"game": game, "table": table, "draw": f"{table}.{today}.{number}"}

    def say(self, kind, **fields):
        """Sends a message about the draw, and prints the reply to it."""
        self.sent += 1
        message = {"schema": 1, "id": f"{self.of['draw']}.{self.sent}", "type": kind, "at": time()} | self.of | fields
        reply = self.queues.send(message)
        print(json.dumps(reply), flush=True)
        if reply["status"] == "quarantined":
            # Nothing of it holds. A person reads the errors; what is right is sent under a new id.
            sys.exit(f"refused: {message}")


def play(queues, script, number):
    draw = Draw(queues, script["game"], number)
    for round, seen in enumerate(script["rounds"], 1):
        planned = {"round": round, "opens_at": time(), "closes_at": time(later=30)}
        if round == 1:
            draw.say("draw.opened", sequence=number, rounds=[planned])
        # What lies open by now, and the odds, where the game has them.
        shown = {name: seen[name] for name in ("visible", "odds") if name in seen}
        draw.say("betting.opened", **planned, **shown)
        if "stop" in seen:  # wagers that end before the round does
            draw.say("betting.closed", round=round, closed_at=time(), selections=seen["stop"])
        draw.say("betting.closed", round=round, closed_at=time())
    draw.say("draw.resulted", revision=1, facts=script["facts"])


def main():
    draws, number = sys.argv[1], int(sys.argv[2])
    queues = Queues(os.environ["STUDIO_MESSAGES_URL"], os.environ["STUDIO_REPLIES_URL"])
    with open(draws, encoding="utf-8") as file:
        for script in json.load(file):
            play(queues, script, number)


main()
