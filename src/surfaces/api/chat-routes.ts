import type { AgentEvent, Usage } from '../../agent.ts'
import type { StoredMessage } from '../../store.ts'
import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  described,
  flag,
  list,
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
import { codeFields, moment } from './shared-shapes.ts'
import { stateFacts } from './server-routes.ts'

export const conversationRow = object({
  id: text,
  title: text,
  cwd: text,
  shownCwd: text,
  'agent?': text,
  'model?': text,
  updatedAt: text,
  length: whole,
  /** What it does now, in words: `waits for you`, `answers`, `done · 4 calls`, `orders crashed`. */
  word: text,
  tone: oneOf('ok', 'dim', 'warn', 'bad', 'ask'),
  isRunning: flag,
})
export type ConversationRow = TypeOf<typeof conversationRow>

/** A server in a conversation, with what it costs. */
export const switchRow = object({
  server: text,
  isOn: flag,
  state: stateFacts,
  tools: whole,
  hidden: whole,
  tokens: described('What it adds to every request, or would add.', whole),
})
export type SwitchRow = TypeOf<typeof switchRow>

export const conversationServers = object({
  servers: list(switchRow),
  tokens: described('Of those that are on.', whole),
  window: whole,
  mode: oneOf('all', 'search'),
})
export type ConversationServers = TypeOf<typeof conversationServers>

const message = typed<StoredMessage>(object({ role: text, content: {}, seq: whole, at: text }))
const usage = typed<Usage>(openObject)
const one = object({ conversation: conversationRow })

export const modelRow = object({
  ref: text,
  endpoint: text,
  id: text,
  'window?': whole,
  'inputPrice?': number,
  'outputPrice?': number,
  isDefault: flag,
})

export const chatRoutes = {
  'GET /api/conversations': {
    summary: 'Lists conversations, the newest first.',
    command: 'plugboard conversations',
    answer: object({ conversations: list(conversationRow), isKept: flag, 'notKept?': text }),
  },
  'POST /api/conversations': {
    summary: 'Begins a conversation.',
    command: 'plugboard chat',
    body: object({ 'cwd?': text, 'agent?': text, 'model?': text }),
    answer: one,
  },
  'GET /api/conversations/:conversation': {
    summary: 'A conversation with its last messages, its turn that runs, and its servers.',
    command: 'plugboard conversations show ID',
    query: object({ 'before?': text, 'limit?': text }),
    answer: object({
      conversation: conversationRow,
      messages: list(message),
      hasEarlier: flag,
      running: described(
        'The events of the turn that runs; of the last turn, if it ended without an answer since `serve` began.',
        typed<readonly AgentEvent[]>(list(openObject)),
      ),
      usage,
      servers: conversationServers,
      notes: texts,
    }),
  },
  'PATCH /api/conversations/:conversation': {
    summary: 'Changes title, agent or model, from the next turn on.',
    body: object({ 'title?': text, 'agent?': orNull(text), 'model?': text }),
    answer: one,
  },
  'DELETE /api/conversations/:conversation': {
    summary: 'Deletes a conversation.',
    command: 'plugboard conversations delete ID',
    answer: object({ isDeleted: flag }),
  },
  'POST /api/conversations/:conversation/turns': {
    summary: 'Sends a message. Events tell what the model does.',
    command: 'plugboard run MESSAGE --continue ID',
    body: object({
      text,
      'images?': list(object({ mediaType: text, data: text })),
      /** Resources whose content is attached. */
      'resources?': list(object({ server: text, uri: text })),
      /** What apps of servers tell the model with it. */
      'contexts?': list(object({ server: text, text })),
    }),
    answer: one,
  },
  'DELETE /api/conversations/:conversation/turns': {
    summary: 'Stops the turn that runs; what is there is kept.',
    answer: one,
  },
  'POST /api/conversations/:conversation/undo': {
    summary: 'Removes the last turn.',
    answer: object({ removed: whole, 'prompt?': text }),
  },
  'GET /api/conversations/:conversation/export': {
    summary: 'The conversation as markdown or JSON.',
    command: 'plugboard conversations export ID',
    query: object({ 'format?': oneOf('markdown', 'json') }),
    answer: object({ name: text, text }),
  },
  'GET /api/conversations/:conversation/servers': {
    summary: 'The servers of a conversation with their cost in tokens.',
    command: 'plugboard switch',
    answer: conversationServers,
  },
  'PUT /api/conversations/:conversation/servers/:server': {
    summary: 'Switches a server on or off in a conversation, from the next step on.',
    command: 'plugboard switch SERVER on|off',
    body: object({ enabled: flag }),
    answer: conversationServers,
  },
  'GET /conversations/:conversation/mcp': {
    summary: 'The servers of a conversation for other programs: id, state, error and number of tools.',
    answer: object({
      conversationId: text,
      cwd: orNull(text),
      servers: list(
        object({ id: text, state: text, 'error?': text, toolCount: whole, 'configSource?': text }),
      ),
    }),
  },
  'PUT /conversations/:conversation/mcp/:server': {
    summary: 'Switches a server in a conversation.',
    body: object({ enabled: flag }),
    answer: object({ conversationId: text, cwd: orNull(text), servers: list(openObject) }),
  },
  'GET /api/agents': {
    summary: 'Lists the agents of all agent files.',
    command: 'plugboard agents',
    answer: object({
      agents: list(object({ name: text, 'description?': text, 'model?': text, tools: texts, shown: text })),
    }),
  },
  'GET /api/models': {
    summary: 'Lists the models of the endpoints that are set up.',
    command: 'plugboard models',
    answer: object({
      'current?': text,
      isDemo: flag,
      endpoints: list(
        object({
          name: text,
          address: text,
          isReady: flag,
          /** Not of the settings, so it cannot be removed. */
          isBuiltIn: flag,
          'problem?': text,
          'hint?': text,
        }),
      ),
      models: list(modelRow),
    }),
  },
  'PUT /api/models/default': {
    summary: 'Chooses the model of new conversations.',
    command: 'plugboard models use MODEL',
    body: object({ model: text }),
    answer: object({ model: text }),
  },
  'POST /api/models/endpoints': {
    summary: 'Adds an endpoint to the settings.',
    command: 'plugboard models add NAME',
    body: object({
      name: text,
      'address?': text,
      'kind?': text,
      'key?': text,
      'request?': codeFields.request,
      'code?': codeFields.code,
    }),
    answer: object({ name: text }),
    isGuarded: true,
  },
  'DELETE /api/models/endpoints/:endpoint': {
    summary: 'Removes an endpoint from the settings.',
    command: 'plugboard models remove ENDPOINT',
    answer: object({ name: text }),
  },
  'POST /api/models/test': {
    summary: 'Sends one short question to a model.',
    command: 'plugboard models test MODEL',
    body: object({ model: text }),
    answer: object({ model: text, isOk: flag, ms: number, 'message?': text, 'hint?': text, at: moment }),
  },
} as const satisfies Readonly<Record<string, Route>>
