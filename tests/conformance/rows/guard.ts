import { met, type Source, testsOf } from "../row.ts";

const guard = testsOf("guard/guard_test.ts");
const budget = testsOf("guard/budget_test.ts");
const sources = testsOf("guard/sources_test.ts");
const memory = testsOf("guard/memory_store_test.ts");
const refused = testsOf("service/guard_bindings_test.ts");
const shared = testsOf("redis/shared_test.ts");
const redisStore = testsOf("store/redis_store_test.ts");
const pipeline = testsOf("connection/pipeline_test.ts");
const histories = testsOf("histories/histories_test.ts");
const nonsense = testsOf("store/nonsense_test.ts");
const fingerprint = testsOf("guard/fingerprint_test.ts");

/** Guessing and reuse. */
export const GUARD: Source = {
  title: "The wire contract: guessing and reuse",
  note:
    "Section 8 of `protocol.md`. The rows about a shared store are shown by `deno task test:redis`, " +
    "which CI runs with a real `redis-server`.",
  isChecked: () => true,
  rows: [
    met(
      "G-01",
      "§8, throttle",
      "our rule",
      "100 wrong pins for a secret are looked at, unless told otherwise, and one more for each hour.",
      [
        guard("decide() looks at as many wrong pins in a row as are allowed, and at no more"),
        guard("decide() gives back a look in each hour, and none for a right pin"),
        testsOf("config/options_test.ts")("parseCommand() gives every default"),
      ],
    ),
    met(
      "G-02",
      "§8, throttle",
      "our rule",
      "Beyond, one is looked at after 30 seconds, and each failure doubles the wait, up to an hour.",
      [
        guard("decide() looks at one pin after each wait, which doubles from 30 s to an hour"),
      ],
    ),
    met(
      "G-03",
      "§8, throttle",
      "our rule",
      "Whatever the real user does, a guesser has no more than `--max-failures` + 7 looks and one an hour.",
      [
        guard(
          "whoever asks, whatever the user does, no stretch of time has more looks than it should",
        ),
        budget(
          "no stretch of time has more looks than the whole budget, its extra ones and the refill",
        ),
        memory("a memory store remembers failures through a right pin, until they are forgotten"),
        shared("a success through one server gives nothing back through the other"),
      ],
    ),
    met(
      "G-04",
      "§8, throttle",
      "our rule",
      "Delays only: where nobody says who asks, a look at a pin comes every hour at least, for whoever takes it.",
      [
        guard("whatever comes when, calls without a source never wait longer than an hour"),
        guard("a clock set back by an hour makes no wait longer than it was"),
      ],
    ),
    met(
      "G-18",
      "§8, throttle",
      "our rule",
      "A user who mistypes ten pins a day never waits.",
      [guard("by default, who mistypes ten pins a day never waits, named or not")],
    ),
    met(
      "G-19",
      "§8, sources",
      "our rule",
      "Where callers name who asks, one source of wrong pins does not keep another out.",
      [
        guard("one source of wrong pins does not keep another out"),
        guard("however long others guess, a source with a right pin never waits for them"),
        sources("withSource() forgets no known source for a stranger, however many come"),
        refused("a call may say who asks, and each who asks has a budget: …"),
        refused("without the field, the caller's key tells who asks, by its name or without one"),
        shared("one source of wrong pins keeps no other out, through either server"),
      ],
    ),
    met(
      "G-20",
      "§8, sources",
      "our rule",
      "A source is hashed with the guard's key at once, and never logged; without one, it is the caller's key; without either, all are one.",
      [
        fingerprint(
          "sourceNamesBy() gives HMAC-SHA-512 of the secret's name and the text, cut to 72 bits",
        ),
        refused("a call may say who asks, and each who asks has a budget: …"),
        refused("who asks may be named by any text, however long or strange"),
        refused("without the field, the caller's key tells who asks, by its name or without one"),
        guard("calls that do not say who asks may use the whole budget, and are no source"),
      ],
    ),
    met("G-05", "§8, throttle", "our rule", "`--max-failures 0` counts nothing.", [
      guard("decide() never throttles with maxFailures 0, and remembers nothing"),
    ]),
    met(
      "G-06",
      "§8, throttle",
      "our rule",
      "Failures are counted for each secret on its own, whichever connection they come by and however many at once.",
      [
        memory("a memory store counts for each secret on its own"),
        memory("no more than the allowed wrong pins are told apart, however many come at once"),
      ],
    ),
    met("G-07", "§8, single use", "our rule", "Single use is off unless asked for.", [
      guard("decide() accepts a code again without single use"),
      testsOf("exchanges/fields.md")("A pin may be asked about twice"),
    ]),
    met(
      "G-08",
      "§8, single use",
      "our rule",
      "With `--single-use` a code of the step of a success, or an earlier one, is refused.",
      [
        guard("decide() accepts with single use no code of the same or an earlier step"),
        memory("64 checks of the same right pin at once are true exactly once with single use"),
      ],
    ),
    met(
      "G-09",
      "§8, state",
      "our rule",
      "State is kept under HMAC-SHA-256 of the secret, with a key of the server's own.",
      [
        fingerprint("fingerprintBy() gives HMAC-SHA-256 as in RFC 4231 test case 6"),
        fingerprint("fingerprintBy() gives another name under another key, and to another secret"),
      ],
    ),
    met(
      "G-15",
      "§8, state",
      "our rule",
      "Secrets that are one HMAC key share their state: longer than the block, or ending in zero bytes.",
      [fingerprint("fingerprintBy() gives one name to the keys that are one to …")],
    ),
    met(
      "G-10",
      "§8, state",
      "our rule",
      "State has a bound (`--guard-entries`): what expired goes first, then used codes, then the fewest failures.",
      [
        memory("a memory store holds as many secrets as it may and not one more"),
        memory("a memory store forgets used codes first, then the fewest failures, a wait last"),
        memory("a memory store is not touched by a flood of logins where it remembers failures"),
        memory("a memory store forgets a throttled secret when all others are"),
        memory("a memory store lets go of what expired although nobody asks for it"),
      ],
    ),
    met(
      "G-11",
      "§8, refusal",
      "our rule",
      "A refusal is `false` in the normal form of every binding, never a status or a fault.",
      [
        refused("a right pin is answered as a wrong one is when the guard refuses it: …"),
        refused("all ways count together, and a code used on one is used on all"),
      ],
    ),
    met("G-12", "§8, refusal", "our rule", "The operator sees refusals in metrics and log.", [
      refused("the operator sees each reason, and how far off the accepted pins were"),
    ]),
    met(
      "G-16",
      "§8, refusal",
      "our rule",
      "`true` is said only for a pin that matched in this process, not for what a store answers.",
      [
        refused("a wrong pin is false although the store says accepted: …"),
        redisStore("a Redis store takes no verdict on a pin that the pin cannot have"),
        redisStore("a Redis store says unavailable for whatever is no decision"),
        histories(
          "a store that lies makes no wrong pin right, and leaves no check without an answer",
        ),
        pipeline("a pipeline ends with a reply that is none to its command"),
        nonsense("a store that says … makes no wrong pin right, and is used again when it is well"),
        testsOf("runtime/nonsense_test.ts")(
          "a server outlives a store that speaks nonsense, and takes no wrong pin for right",
        ),
      ],
    ),
    met(
      "G-13",
      "§8, several processes",
      "our rule",
      "With `--guard redis://…` every decision is one atomic step in the store, by the same rules.",
      [
        shared(
          "the hundredth failure counts through either server, and the next pin is refused by both",
        ),
        shared("64 checks of a right pin at once through two servers are true exactly once"),
        histories("whatever befalls, pins are looked at, accepted and refused as was promised"),
        testsOf("redis/script_test.ts")("the script decides as the rules do, whatever comes when"),
      ],
    ),
    met(
      "G-14",
      "§8, several processes",
      "our rule",
      "While the store is down, what needs it is `false`, and `/readyz` is 503.",
      [
        refused("a right pin is answered as a wrong one is while the store cannot tell: …"),
        testsOf("redis/outage_test.ts")(
          "a server starts without its Redis, refuses pins, and takes it when it comes",
        ),
      ],
    ),
    met(
      "G-17",
      "§8, several processes",
      "our rule",
      "A store that answers in time is never blamed, however late this process reads its answer.",
      [
        pipeline("a pipeline does not blame a store for pauses of this process"),
        histories("whatever befalls, pins are looked at, accepted and refused as was promised"),
        testsOf("redis/patience_test.ts")(
          "no right pin is refused while the server is busy or stopped and its Redis is well",
        ),
      ],
    ),
  ],
};
