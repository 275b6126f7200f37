import { presetNames } from '../../../index.ts'
import {
  anything,
  described,
  either,
  flag,
  list,
  map,
  number,
  object,
  oneOf,
  open,
  openObject,
  ref,
  text,
  texts,
  whole,
} from '../../api/schema-builder.ts'
import { acceptanceFacts } from '../../api/lock-routes.ts'
import type { Fields, Schema } from '../../api/schema-builder.ts'
import { document, plan } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { questionDocuments } from './question-documents.ts'
import { taskDocuments } from './task-documents.ts'
import {
  accountFields,
  connectionResult,
  diagnostics,
  explanationFields,
  logLineFields,
  parts,
  toolFields,
  version,
  marks,
  part,
  withheld,
} from './schema-parts.ts'
import { adoptDocuments, adoptedClients } from './adopt-documents.ts'
import { explainedClaims, explainedConfig, explainedKey, keyDocuments } from './key-documents.ts'
import { lockDocuments } from './lock-documents.ts'
import { skillDocuments } from './skill-documents.ts'
import { modelDocuments } from './model-documents.ts'
import { sandboxDocuments } from './sandbox-documents.ts'
import { reviewDocuments } from './review-documents.ts'
import { scanDocuments } from './scan-documents.ts'
import { gateway, gatewayDocuments } from './gateway-documents.ts'
import { storeDocuments } from './store-documents.ts'

const problems: Fields = { 'diagnostics?': diagnostics }

function edit(action: string): JsonDocument {
  const done: Fields = {
    name: text,
    action: { const: action },
    file: text,
    changed: flag,
    lost: described('Fields that this file cannot express.', list(ref('Lost'))),
  }
  return document(done, { ...done, ...plan })
}

const transferred: Fields = {
  copied: texts,
  skipped: list(object({ name: text, reason: text })),
  'renamed?': described(
    'Copied servers with another name in the file, because its owner refuses theirs, or with `--as`.',
    list(object({ name: text, as: text })),
  ),
  'untrusted?': described('With `--trust`: copied servers of the project that are not trusted.', texts),
  file: text,
  changed: flag,
  lost: list(ref('Lost')),
}
const transfer = document(transferred, { ...transferred, ...plan })

const useOfSource = document({ source: text, use: oneOf('on', 'off'), changed: flag, file: text })

const program: Fields = { command: text, args: texts }
const shownCommon: Fields = { env: map(text), 'login?': openObject }
const shown = described(
  'What it would run or reach, with secrets hidden.',
  either(
    object({
      kind: { const: 'stdio' },
      ...program,
      'cwd?': text,
      'inheritEnv?': { const: true },
      ...shownCommon,
    }),
    object({
      kind: oneOf('http', 'sse'),
      url: text,
      'socketPath?': text,
      headers: map(text),
      'tls?': openObject,
      'launch?': object(program),
      ...shownCommon,
    }),
  ),
)

const trustRequest = object({
  name: text,
  trust: oneOf('trusted', 'pending', 'changed'),
  hash: described('For `trust --hash`.', text),
  shown,
  variables: texts,
  commands: texts,
  files: texts,
  'envFile?': described('What its env file sets, as hashes.', object({ hash: text, variables: map(text) })),
  'inputs?': list(ref('Input')),
  changes: list(object({ pointer: text, 'before?': anything, 'after?': anything })),
  'error?': described('Why it is not trusted now.', ref('Fault')),
})

const layer = oneOf('user', 'project', 'agent', 'conversation')
const place = object({ file: text, 'pointer?': text, 'line?': whole, 'column?': whole })
const effect = oneOf('allow', 'ask', 'deny')
const predicate: Fields = { at: text, 'not?': flag }
const visibility: Fields = {
  visible: flag,
  'layer?': layer,
  'pattern?': text,
  reason: text,
  'held?': text,
  'origin?': place,
}
const decided: Fields = {
  decision: object({
    effect,
    reason: text,
    by: oneOf('guard', 'rule', 'trifecta', 'approval', 'default'),
    'layer?': layer,
    'asks?': texts,
    'allowedBy?': described(
      'The rule that would allow such calls, and the file where it belongs.',
      object({ rule: object({ effect: oneOf('allow'), tools: texts }), 'file?': text }),
    ),
  }),
  'depends?': described(
    'Rules that decide otherwise for certain arguments.',
    list(
      object({
        effect,
        when: list(
          either(object({ ...predicate, matches: text }), object({ ...predicate, equals: anything })),
        ),
        reason: text,
        layer,
      }),
    ),
  ),
}
const explainedTool = object({
  'risk?': described('Why calling it now could carry private data to strangers.', text),
  ref: text,
  name: text,
  visibility: object(visibility),
  ...decided,
  'inChat?': described('How `chat` and `run` decide, if other than that.', object(decided)),
  server: text,
  'agent?': text,
  'key?': explainedKey,
  'claims?': explainedClaims,
  'from?': explainedConfig,
  ...problems,
})

const offeredTools: Fields = {
  tools: list(ref('Tool')),
  'instructions?': list(object({ server: text, text })),
  missing: list(ref('Missing')),
  ...problems,
}
const hiddenTools = list(object({ ref: text, name: text, server: text, visibility: object(visibility) }))

const weights = described(
  'With `--cost`: about how many tokens the definitions take in every request.',
  object({
    'model?': described('The chosen model; none is needed.', text),
    tokens: whole,
    'window?': described('Of the model, in tokens.', whole),
    'share?': described('Of the window, from 0 to 1.', number),
    'maxTools?': described('How many tools the provider takes in a request.', whole),
    'fits?': described('Whether it takes as many as there are.', flag),
    servers: list(object({ server: text, tools: whole, tokens: whole })),
    tools: list(object({ name: text, ref: text, server: text, tokens: whole })),
    leftOut: described(
      'Tools that the model does not get, because its provider would reject their schemas.',
      list(object({ name: text, ref: text, reason: text })),
    ),
  }),
)

const generated: Fields = {
  server: text,
  kind: oneOf('module', 'program'),
  functions: list(
    object({ tool: text, name: described('Of its function, or its command in a program.', text) }),
  ),
  ...problems,
}

const agentEvent = described(
  'An event of the turn, as in `plugboard/agent`; the last is `turn.finished`.',
  open({ 'version?': version, at: whole, type: text }),
)

const logLines = object({ 'version?': version, ...logLineFields })

const examined = object({
  ...explanationFields,
  health: oneOf('ok', 'off', 'needs trust', 'changed', 'not started', 'needs login', 'broken', 'unusable'),
  'program?': text,
  said: list(ref('LogLine')),
  failures: list(ref('LogLine')),
  'findings?': described('What the scanner found in its declaration and offers.', list(ref('Finding'))),
  next: described('The command to run next.', text),
  'connection?': connectionResult({}),
})

const totals = object({
  ready: whole,
  notReady: described('Switched on, but waiting for trust or a login, broken or unusable.', whole),
  off: whole,
  notStarted: whole,
  byHealth: map(whole),
  brokenFiles: described('Config files that cannot be used.', whole),
})

const listed: Fields = {
  servers: list(ref('Server')),
  shadowed: list(
    object({
      name: text,
      scope: text,
      file: text,
      pointer: text,
      line: whole,
      by: object({ scope: text, file: text }),
      'trust?': described('It would be in force if it were trusted.', oneOf('pending', 'changed')),
      'hash?': text,
    }),
  ),
  diagnostics,
  acceptance: acceptanceFacts,
}

/** The JSON of every command, by its words. `docs/reference/json.md` is generated from this table. */
export const jsonDocuments: Readonly<Record<string, JsonDocument>> = {
  list: document(listed, {
    ...listed,
    tools: list(object({ ...toolFields, signature: text })),
    missing: list(ref('Missing')),
  }),
  why: document({ servers: list(ref('Explanation')), tools: list(explainedTool), ...problems }),
  'sources list': document({
    sources: list(
      object({
        id: text,
        title: text,
        use: oneOf('own', 'on', 'off'),
        files: list(object({ file: text, scope: text, found: flag, own: flag })),
        servers: list(object({ name: text, enabled: flag, file: text, scope: text })),
        diagnostics,
      }),
    ),
  }),
  'sources enable': useOfSource,
  'sources disable': useOfSource,
  find: document({
    registry: described('Its address.', text),
    servers: list(
      object({
        name: text,
        'title?': text,
        description: text,
        version: text,
        status: oneOf('active', 'deprecated'),
        'statusMessage?': text,
        ways: described('The registries of its packages, such as `npm`, and `remote`.', texts),
        'repository?': text,
      }),
    ),
    hasMore: flag,
  }),
  add: edit('added'),
  remove: edit('removed'),
  enable: edit('enabled'),
  disable: edit('disabled'),
  import: transfer,
  export: transfer,
  ...adoptDocuments,
  trust: document({ servers: list(trustRequest), ...problems }),
  untrust: document({ name: text, trust: { const: 'pending' }, removed: whole }),
  tools: document({
    ...offeredTools,
    'hidden?': described('With `--all`: the tools that are not offered.', hiddenTools),
    'cost?': weights,
  }),
  tool: document({ ...toolFields, signature: text, example: openObject, 'instructions?': text, ...problems }),
  search: document(offeredTools),
  call: document({
    content: list(openObject),
    'structuredContent?': anything,
    'isError?': { const: true },
    'saved?': described('Files of `--output`.', texts),
    'view?': described(
      'The tool has an app that shows the result: its address, the call for `plugboard open`, and where `plugboard serve` shows it, if it runs.',
      object({ app: text, 'call?': text, 'address?': text }),
    ),
    ...marks,
    ...problems,
  }),
  ...taskDocuments,
  resources: document({ resources: list(ref('Offer')), missing: list(ref('Missing')), ...problems }),
  read: document(
    {
      contents: list(
        either(
          object({ ...part, kind: { const: 'text' }, text }),
          object({ ...part, kind: { const: 'blob' }, blob: described('Base64.', text) }),
          object({ ...part, kind: oneOf('too-large', 'empty') }),
        ),
      ),
      ...problems,
    },
    { uri: text, file: described('The file of `--output`.', text), bytes: whole, ...problems },
  ),
  prompts: document({ prompts: list(ref('Offer')), missing: list(ref('Missing')), ...problems }),
  prompt: document({
    'description?': text,
    messages: list(object({ role: text, content: either(openObject, list(openObject)) })),
    ...marks,
    ...problems,
  }),
  ...skillDocuments,
  generate: document({ ...generated, file: text, changed: flag }, { ...generated, code: text }),
  agents: document({ agents: list(ref('Agent')), diagnostics }),
  ...modelDocuments,
  presets: document({
    presets: list(
      object({
        name: oneOf(...presetNames),
        title: text,
        rows: list(object({ topic: text, rule: text, ids: texts })),
        notes: list(object({ id: text, reason: text })),
        mappings: list(object({ named: text, 'ours?': text, 'note?': text })),
      }),
    ),
  }),
  test: document({ servers: list(connectionResult({ name: text })), ...problems }),
  doctor: document(
    {
      servers: list(examined),
      totals,
      'adopted?': adoptedClients,
      'gateways?': list(gateway),
      'withheld?': withheld,
      diagnostics,
    },
    { file: described('The report of `--bundle`.', text), ...problems },
  ),
  ...scanDocuments,
  ...lockDocuments,
  ...sandboxDocuments,
  ...reviewDocuments,
  request: document({
    result: described('As the server sent it, with secrets hidden.', anything),
    ...problems,
  }),
  login: document(accountFields),
  logout: document({ accounts: list(object(accountFields)) }),
  whoami: document({
    accounts: list(
      object({ ...accountFields, names: described('Servers declared here with its address.', texts) }),
    ),
  }),
  logs: { ...document({ lines: list(ref('LogLine')) }), line: either(logLines, ref('Error')) },
  status: document({
    hosts: list(
      object({
        pid: whole,
        isGone: described('The program was killed, and its servers still run.', flag),
        cwd: text,
        since: text,
        servers: list(object({ id: text, name: text, pid: whole, command: text, line: text, since: text })),
        left: described(
          'Processes that still run though their server has ended. If `isCertain` is false, one may belong to it.',
          list(object({ pid: whole, server: text, isCertain: flag, 'program?': text })),
        ),
      }),
    ),
  }),
  ...questionDocuments,
  shell: document(),
  chat: document(),
  run: { ...document(), line: either(agentEvent, ref('Error')) },
  serve: document({
    url: described('The page; the part after `#k=` is the token.', text),
    address: text,
    token: text,
    pid: whole,
    cwd: text,
    'ssh?': described('With `--address`: the command that forwards the port from another machine.', text),
  }),
  open: document({ call: text, url: described('With the token: it is the key.', text), isOpened: flag }),
  ...gatewayDocuments,
  ...keyDocuments,
  ...storeDocuments,
  'cache clear': document({ cleared: whole }),
  completion: document({ shell: text, script: text }),
  help: document({ command: text, text }),
  version: document({ plugboard: text, node: text }),
}

/** All documents and their parts as one schema: a command’s document is `$defs` of its words, joined by a hyphen. */
export function jsonSchema(): Schema {
  const documents = Object.entries(jsonDocuments).flatMap(([command, { schema, line }]) => {
    const name = command.replaceAll(' ', '-')
    return line ? [[name, schema] as const, [`${name}-line`, line] as const] : [[name, schema] as const]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { ...Object.fromEntries(documents), ...parts },
  }
}
