import type { Status } from '../../index.ts'
import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  described,
  flag,
  list,
  map,
  number,
  object,
  oneOf,
  openObject,
  orNull,
  text,
  texts,
  typed,
  whole,
} from './schema-builder.ts'
import {
  codeFields,
  dryRun,
  fault,
  fileDifference,
  json,
  moment,
  nextStep,
  place,
  problem,
} from './shared-shapes.ts'

/** The state of a server as it is drawn: shape, colour and word together, a sentence of cause, the time it began. */
export const stateFacts = object({
  state: typed<Status['state']>(text),
  reason: typed<Status['reason']>(text),
  shape: oneOf('dot', 'ring', 'triangle', 'square', 'dash', 'cross'),
  tone: oneOf('ok', 'dim', 'warn', 'bad', 'ask'),
  word: text,
  'sentence?': described('Why it is in this state; absent only if it is ready.', text),
  'hint?': text,
  since: moment,
  'retryAt?': moment,
  'stderr?': texts,
})
export type StateFacts = TypeOf<typeof stateFacts>

/** A row of the list of servers. */
export const serverRow = object({
  name: text,
  id: text,
  'title?': text,
  transport: oneOf('stdio', 'http', 'sse'),
  endpoint: described('The command or address, without secrets.', text),
  state: stateFacts,
  next: list(nextStep),
  isEnabled: flag,
  trust: oneOf('not-needed', 'trusted', 'pending', 'changed'),
  isKnown: described('Its lists are on disk.', flag),
  'tools?': described('Absent: not known yet.', object({ count: whole, hidden: whole, tokens: whole })),
  'held?': described('Offers that wait for a review.', whole),
  'resources?': whole,
  'prompts?': whole,
  'startedMs?': described('How long the last start took.', number),
  'pid?': whole,
  'lastCall?': object({ id: text, ref: text, ms: number, at: moment, outcome: text }),
  declared: place,
  source: object({ client: text, scope: text, authority: text }),
  'era?': text,
  'version?': text,
})
export type ServerRow = TypeOf<typeof serverRow>

/** Everything about one server. */
export const serverDetail = object({
  server: serverRow,
  history: described(
    'The states since `serve` began, the newest last.',
    list(object({ word: text, tone: text, at: moment, 'sentence?': text })),
  ),
  why: text,
  'instructions?': text,
  'capabilities?': openObject,
  'memory?': described('Bytes of its process.', whole),
  entry: described(
    'The declaration, line by line, with secrets hidden.',
    list(object({ 'line?': whole, text })),
  ),
  resolved: described(
    'Values after expansion, with secrets hidden.',
    list(object({ name: text, value: text })),
  ),
  shadowed: list(object({ declared: place, reason: text })),
  problems: list(problem),
  accounts: list(object({ account: text, issuer: text, 'expiresAt?': moment, 'who?': text })),
  inputs: list(
    object({ id: text, 'description?': text, isSecret: flag, 'choices?': texts, isAnswered: flag }),
  ),
})
export type ServerDetail = TypeOf<typeof serverDetail>

/** All that a person must see before trusting a server, complete and without secrets (T10). */
export const trustFacts = object({
  server: text,
  hash: text,
  state: oneOf('trusted', 'pending', 'changed'),
  declared: place,
  'command?': described('The words that would run, one by one, each quoted for a shell.', texts),
  'cwd?': text,
  'url?': text,
  /** Lines of the request in their order; `isWarning` is drawn so that it is seen. */
  lines: list(object({ text, isWarning: flag })),
  entries: list(object({ declared: place, lines: texts })),
  'trustedAt?': text,
  changes: list(object({ pointer: text, before: orNull(text), after: orNull(text) })),
  changeNotes: described('What changed beside the entry.', texts),
})
export type TrustFacts = TypeOf<typeof trustFacts>

/** In a browser on the machine of `serve`, by pasting an address, or with a code on another device. */
const loginFlow = oneOf('browser', 'paste', 'device')

/** How a login goes on. */
export const loginProgress = object({
  id: text,
  server: text,
  state: oneOf('waiting', 'done', 'failed'),
  'flow?': described('`paste` waits for the address that the browser ended up at.', loginFlow),
  'url?': described('The page to open.', text),
  'host?': text,
  'code?': described('To type into that page.', text),
  'expiresAt?': moment,
  'account?': text,
  'error?': described('Why it failed, or what is wrong with the pasted address.', fault),
})
export type LoginProgress = TypeOf<typeof loginProgress>

const serverAnswer = object({ server: serverRow })
const changed = object({
  differences: list(fileDifference),
  isWritten: flag,
  notes: described('What the file cannot say, or what still holds the change up.', texts),
})

export const serverRoutes = {
  'GET /api/servers': {
    summary: 'Lists every server with its state, the reason and the next step.',
    command: 'plugboard list',
    answer: object({ cwd: text, shownCwd: text, summary: text, servers: list(serverRow), problems: whole }),
  },
  'GET /api/servers/:server': {
    summary: 'Everything about one server: its history, declaration, values and problems.',
    command: 'plugboard why SERVER',
    answer: serverDetail,
  },
  'POST /api/servers/:server/start': {
    summary: 'Connects to a server.',
    command: 'plugboard test SERVER',
    answer: serverAnswer,
  },
  'POST /api/servers/:server/stop': {
    summary: 'Stops a server. The next call starts it again.',
    answer: serverAnswer,
  },
  'POST /api/servers/:server/restart': {
    summary: 'Restarts a server, also one that rests after crashes.',
    answer: serverAnswer,
  },
  'GET /api/servers/:server/log': {
    summary: 'The last lines that a server wrote to stderr.',
    command: 'plugboard logs SERVER',
    query: object({ 'lines?': text }),
    answer: object({ lines: list(object({ at: text, host: whole, text })) }),
  },
  'DELETE /api/servers/:server/cache': {
    summary: 'Forgets what earlier connections learned; the next one learns it again.',
    command: 'plugboard cache clear SERVER',
    answer: object({ cleared: whole }),
  },
  'PUT /api/servers/:server/enabled': {
    summary: 'Switches a declaration on or off in its file.',
    command: 'plugboard enable SERVER',
    body: object({ enabled: flag, ...dryRun }),
    answer: changed,
  },
  'POST /api/servers': {
    summary: 'Adds a server to a file.',
    command: 'plugboard add NAME',
    body: object({
      name: text,
      scope: oneOf('user', 'project'),
      'command?': text,
      'args?': texts,
      'env?': map(text),
      'url?': text,
      'headers?': map(text),
      ...dryRun,
      'request?': codeFields.request,
      'code?': codeFields.code,
    }),
    answer: changed,
    isGuarded: true,
  },
  'DELETE /api/servers/:server': {
    summary: 'Removes a declaration from its file.',
    command: 'plugboard remove SERVER',
    body: object(dryRun),
    answer: changed,
  },
  'GET /api/servers/:server/trust': {
    summary: 'What trusting a server would allow.',
    command: 'plugboard trust SERVER',
    answer: trustFacts,
  },
  'POST /api/servers/:server/trust': {
    summary: 'Trusts exactly the declaration with this hash.',
    command: 'plugboard trust SERVER --hash HASH',
    body: object({ hash: text, ...codeFields }),
    answer: serverAnswer,
    isGuarded: true,
  },
  'DELETE /api/servers/:server/trust': {
    summary: 'Takes the trust back.',
    command: 'plugboard untrust SERVER',
    answer: serverAnswer,
  },
  'POST /api/codes': {
    summary: 'Shows a code in the terminal of `serve`, with what it is for.',
    body: object({
      for: oneOf('trust', 'add', 'source', 'import', 'export', 'model', 'accept'),
      /** The name of the server, source or endpoint. */
      subject: text,
      /** For `trust`: the hash that the person saw; for `accept` the kind and the hash; for others the body that will be sent, without the code. */
      about: json,
    }),
    answer: object({ request: text, expiresAt: moment, where: text }),
  },
  'POST /api/servers/:server/login': {
    summary: 'Begins a login; the answer has the page to open, events tell how it ends.',
    command: 'plugboard login SERVER',
    query: object({ 'flow?': loginFlow }),
    answer: loginProgress,
  },
  'PUT /api/servers/:server/login/address': {
    summary: 'Goes on with a login by pasting, with the address that the browser ended up at.',
    command: 'plugboard login --paste SERVER',
    body: object({ address: text }),
    answer: loginProgress,
  },
  'DELETE /api/servers/:server/login': {
    summary: 'Removes the logins to a server.',
    command: 'plugboard logout SERVER',
    answer: object({ accounts: list(text) }),
  },
  'PUT /api/servers/:server/inputs/:input': {
    summary: 'Answers an input of a declaration, until `serve` ends.',
    body: object({ value: text }),
    answer: serverAnswer,
  },
  'POST /api/reload': {
    summary: 'Reads the configuration again.',
    answer: object({ servers: whole, problems: whole }),
  },
} as const satisfies Readonly<Record<string, Route>>
