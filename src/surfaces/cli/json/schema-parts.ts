import { diagnosticCodes, errorCodes } from '../../../index.ts'
import { severityNames } from '../commands/safety/severity-names.ts'
import { exitCodes } from '../exit-codes.ts'
import {
  anything,
  described,
  either,
  flag,
  list,
  map,
  object,
  oneOf,
  open,
  openObject,
  orNull,
  ref,
  text,
  texts,
  whole,
} from '../../api/schema-builder.ts'
import type { Fields, Schema } from '../../api/schema-builder.ts'

/** Of every document. */
export const version: Schema = { const: 1 }

export const diagnostics = list(ref('Diagnostic'))

/** Where a line of a log comes from and when it was written. */
export const logLineFields: Fields = {
  at: described('ISO 8601.', text),
  host: described('The pid of the host that wrote it.', whole),
  text,
}

/** What a server said when it was connected. */
const greetingFields: Fields = {
  era: oneOf('modern', 'legacy'),
  version: described('The protocol revision.', text),
  capabilities: openObject,
  'isAssumed?': described('The entry fixes the revision; the server was not asked.', { const: true }),
  'serverInfo?': openObject,
  'instructions?': text,
}

/** What the scanner found in a text that a server sent while it was used. */
const markFields: Fields = {
  rule: described('Its id, such as `INJ-001`.', text),
  severity: oneOf(...severityNames),
  subject: object({
    kind: oneOf(
      'tool',
      'prompt',
      'resource',
      'template',
      'app',
      'skill',
      'instructions',
      'result',
      'error',
      'elicitation',
      'sampling',
      'server',
    ),
    server: text,
    'name?': text,
  }),
  pointer: described('Where in the definition or entry, as a JSON pointer.', text),
  message: text,
  'evidence?': text,
  'decodedFrom?': described('How the text was hidden, from outside to inside.', texts),
  remedy: text,
}

/** What the scanner found in what a server returned, at medium or above. */
export const marks: Fields = {
  'findings?': described('Instructions to a model, or hidden text, in it.', list(ref('Mark'))),
}

/** A part of a resource. */
export const part: Fields = { uri: text, 'mimeType?': text, bytes: whole, ...marks }

/** What the scanner found in a definition or declaration. */
export const findingFields: Fields = {
  ...markFields,
  sha256: described('Of the definition or entry, for `scan.ignore` in your settings.', text),
  'file?': text,
  'line?': whole,
}

const transport = oneOf('stdio', 'http', 'sse')
const timings = described('Milliseconds by step, and in `total`.', map({ type: 'number' }))

/** The two outcomes of connecting to a server, each with the given fields. */
export function connectionResult(fields: Fields): Schema {
  const connected: Fields = {
    ...fields,
    transport,
    ...greetingFields,
    counts: map(whole),
    'appOnly?': described('Tools that the server keeps for its own app; not counted.', texts),
    quarantined: described('Tools that cannot be called.', list(object({ tool: text, reason: text }))),
    'held?': described('Number of offers that are held until a person has reviewed them.', whole),
    timings,
  }
  return either(object(connected), object({ ...fields, transport, error: ref('Fault'), timings }))
}

/** All declarations of a name. */
export const explanationFields: Fields = {
  name: text,
  reason: text,
  server: described('The declaration in force.', orNull(ref('Server'))),
  hidden: list(ref('Server')),
  diagnostics,
}

export const toolFields: Fields = {
  hash: text,
  ref: described('`server/tool`.', text),
  name: described('The name that a model sees.', text),
  'title?': text,
  description: text,
  inputSchema: openObject,
  'outputSchema?': openObject,
  annotations: openObject,
  server: text,
  tool: described('The server’s own name for it.', text),
  concurrencySafe: flag,
}

export const accountFields: Fields = {
  server: described('The address of the server.', text),
  issuer: text,
  account: text,
  'expiresAt?': described('Milliseconds since 1970.', { type: 'number' }),
  scopes: texts,
  'who?': text,
  since: described('Milliseconds since 1970.', { type: 'number' }),
  isRenewable: flag,
  'provider?': text,
}

const value = either(text, object({ env: text }))
const resolved = described(
  'Values after expansion, with secrets hidden.',
  object({
    'command?': text,
    'args?': texts,
    'env?': map(text),
    'cwd?': text,
    'envFile?': text,
    'url?': text,
    'headers?': map(text),
    'auth?': map(text),
  }),
)

const server = object({
  name: text,
  transport,
  command: orNull(text),
  args: texts,
  env: map(value),
  cwd: orNull(text),
  url: orNull(text),
  headers: map(value),
  enabled: flag,
  timeoutMs: orNull({ type: 'number' }),
  startupTimeoutMs: orNull({ type: 'number' }),
  allowedTools: orNull(texts),
  deniedTools: texts,
  'autoApprove?': texts,
  'fallback?': { const: 'sse' },
  'socketPath?': text,
  'headersCommand?': text,
  'tls?': openObject,
  'auth?': openObject,
  'passEnv?': texts,
  'secretEnv?': texts,
  'unsetEnv?': texts,
  'envFile?': text,
  'inheritEnv?': flag,
  'lifecycle?': object({ mode: anything, 'idleTimeoutMs?': { type: 'number' } }),
  'disabledBy?': text,
  'forceEnabledBy?': text,
  'approval?': anything,
  'title?': text,
  'inputs?': list(ref('Input')),
  'sandbox?': anything,
  'runner?': openObject,
  'runnerNotes?': texts,
  'watch?': texts,
  'mergedFrom?': texts,
  source: object({ client: text, scope: text, file: text, pointer: text }),
  line: whole,
  id: text,
  'trust?': oneOf('trusted', 'pending', 'changed'),
  'hash?': described('For `trust --hash`; only servers that a project declares have one.', text),
  'resolved?': resolved,
})

/** Schemas that documents refer to. */
export const parts: Readonly<Record<string, Schema>> = {
  Server: server,
  Finding: object(findingFields),
  Mark: object(markFields),
  Diagnostic: object({
    code: oneOf(...Object.keys(diagnosticCodes)),
    severity: oneOf('error', 'warn', 'info'),
    'file?': text,
    message: text,
    'hint?': text,
    'pointer?': text,
    'server?': text,
    'line?': whole,
    'column?': whole,
  }),
  Fault: object({
    code: oneOf(
      ...Object.keys(errorCodes),
      ...Object.keys(exitCodes).filter((name) => !(name in errorCodes)),
    ),
    message: text,
    'hint?': text,
    'data?': openObject,
  }),
  Error: described(
    'What any command prints if it fails.',
    object({ version, error: ref('Fault'), 'diagnostics?': diagnostics }),
  ),
  Explanation: object(explanationFields),
  Input: object({
    id: text,
    'description?': text,
    'required?': flag,
    'secret?': flag,
    'multiple?': flag,
    'default?': anything,
    'choices?': texts,
  }),
  Tool: object(toolFields),
  Missing: described(
    'A server whose offers are not known.',
    object({ server: text, state: text, 'since?': text, message: text, 'hint?': text }),
  ),
  Offer: described('As the server lists it, with the name of the server.', open({ server: text })),
  Agent: object({
    name: text,
    'description?': text,
    'model?': text,
    'promptBytes?': whole,
    'tools?': texts,
    'servers?': texts,
    'asks?': texts,
    'dialect?': text,
    origin: object({ file: text, line: whole, authority: text }),
    'within?': ref('Agent'),
  }),
  FileChange: object({ file: text, before: text, after: text, 'mode?': whole }),
  Lost: object({ field: text, reason: text }),
  LogLine: object(logLineFields),
}

export const withheld = described(
  'Texts of servers are left out: an agent runs the command, or with `--no-texts`. Differences are empty, findings have the words of their rules.',
  { const: true },
)
