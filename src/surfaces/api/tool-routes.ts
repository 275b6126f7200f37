import type { Block, Completion, ResourcePart, ToolExplanation } from '../../index.ts'
import type { Field } from './form-field.ts'
import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import {
  anything,
  described,
  flag,
  list,
  map,
  number,
  object,
  oneOf,
  openObject,
  ref,
  text,
  texts,
  typed,
  whole,
} from './schema-builder.ts'
import { fault, json, moment, nextStep, shownFinding } from './shared-shapes.ts'

/** A row of the list of tools. */
export const toolRow = object({
  ref: text,
  name: described('What a model sees.', text),
  tool: text,
  server: text,
  'title?': text,
  summary: text,
  tokens: whole,
  isReadOnly: flag,
  'app?': described('The address of the app that shows its results.', text),
  /** What the tool declares, in words: `writes`, `deletes`, `reaches outside`. */
  marks: texts,
  hash: text,
})
export type ToolRow = TypeOf<typeof toolRow>

export const toolDetail = object({
  row: toolRow,
  description: text,
  signature: text,
  inputSchema: openObject,
  'outputSchema?': openObject,
  form: ref<Field>('Field'),
  example: json,
  why: typed<ToolExplanation>(openObject),
})
export type ToolDetail = TypeOf<typeof toolDetail>

/** A problem of an argument, in the words of the command line. */
export const argumentProblem = object({ pointer: text, message: text })
export type ShownArgumentProblem = TypeOf<typeof argumentProblem>

/** A call in the timeline. */
export const callRow = object({
  id: text,
  ref: text,
  server: text,
  tool: text,
  /** Who made it. */
  by: oneOf('page', 'terminal', 'chat', 'app', 'program'),
  'app?': described('The ref of the tool whose app made it.', text),
  'conversation?': text,
  'conversationTitle?': text,
  state: oneOf('running', 'waits', 'done', 'failed', 'refused', 'cancelled', 'unknown'),
  /** Shape, colour and word of the state. */
  tone: oneOf('ok', 'dim', 'warn', 'bad', 'ask'),
  word: text,
  at: described('When it began.', moment),
  'ms?': described('How long it took, without the time that it waited for a person.', number),
  'waitedMs?': described('How long it waited for a person.', number),
  'bytes?': whole,
  'question?': described('The question that it waits for.', text),
  'progress?': object({ progress: number, 'total?': number, 'message?': text }),
})
export type CallRow = TypeOf<typeof callRow>

/**
 * The result of a call. Long texts come as head and tail; `GET /api/calls/:call/text` has the rest. Blocks after the first 100
 * are one text, in a block of the type `more`.
 */
export const resultFacts = object({
  isFailed: flag,
  blocks: list(
    object({
      type: text,
      /** The whole text, or its head if `isCut`. */
      'text?': text,
      /** The end of a text that is cut. */
      'tail?': text,
      /** Characters in all. */
      'length?': whole,
      'isCut?': flag,
      'mimeType?': text,
      /** Of images and audio up to 4 MB, in base64. */
      'data?': text,
      'bytes?': whole,
      'uri?': text,
      'name?': text,
    }),
  ),
  'structured?': anything,
  bytes: whole,
  'spilled?': object({ path: text, bytes: whole }),
  'findings?': described(
    'Instructions to a model, or hidden text, in the result; the worst first.',
    list(shownFinding),
  ),
})
export type ResultFacts = TypeOf<typeof resultFacts>

export const callDetail = object({
  call: callRow,
  args: json,
  'result?': resultFacts,
  'error?': fault,
  next: list(nextStep),
  progress: list(object({ at: moment, progress: number, 'total?': number, 'message?': text })),
  /** What the server wrote to stderr meanwhile. */
  stderr: texts,
  'notes?': described(
    'What was refused to the server meanwhile, and why: the use of the model, or a question that cannot be shown.',
    texts,
  ),
  decision: described('The rule that decided.', text),
  command: described('The command that makes the same call.', text),
  'app?': described(
    'The address of the app that can show it: `POST /api/apps`; empty while its server is not known.',
    text,
  ),
  /** The messages of the call as they were sent, without secrets; only of calls since `serve` began. */
  wire: list(object({ at: moment, direction: oneOf('out', 'in'), text })),
})
export type CallDetail = TypeOf<typeof callDetail>

export const toolRoutes = {
  'GET /api/tools': {
    summary: 'Lists the tools of all servers.',
    command: 'plugboard tools',
    answer: object({
      tools: list(toolRow),
      tokens: whole,
      hidden: list(object({ ref: text, name: text, server: text, reason: text })),
      held: described(
        'Tools that models do not get before a person accepts them.',
        list(object({ id: text, ref: text, server: text, reason: text })),
      ),
      waiting: described(
        'Servers whose tools are not known yet.',
        list(object({ server: text, reason: text })),
      ),
    }),
  },
  'GET /api/tools/:ref': {
    summary: 'One tool with its form, example and the rule that decides.',
    command: 'plugboard tool TOOL',
    answer: toolDetail,
  },
  'POST /api/tools/:ref/check': {
    summary: 'Checks arguments without calling.',
    body: object({ args: json }),
    answer: object({
      problems: list(argumentProblem),
      'unchecked?': described('Why they could not be checked; the server of the tool decides.', text),
    }),
  },
  'GET /api/search': {
    summary: 'Finds tools by words.',
    command: 'plugboard search WORDS',
    query: object({ words: text }),
    answer: object({ tools: list(toolRow), 'meant?': text }),
  },
  'POST /api/calls': {
    summary: 'Starts a call. Events and `GET /api/calls/:call` tell how it goes on.',
    command: 'plugboard call TOOL',
    body: object({
      ref: text,
      args: json,
      'timeoutMs?': described('At most a day.', whole),
    }),
    answer: object({ call: callRow }),
  },
  'GET /api/calls': {
    summary:
      'The timeline: calls of the page, of terminals, of chats and of apps by their start, the newest first. `before` is the id of a call.',
    query: object({
      'server?': text,
      'state?': text,
      'by?': text,
      'conversation?': text,
      'before?': text,
      'limit?': text,
    }),
    answer: object({ calls: list(callRow), hasMore: flag }),
  },
  'POST /api/calls/:call/link': {
    summary:
      'An address without the token that opens a call with its app in a browser, once and within a minute.',
    command: 'plugboard open CALL',
    answer: object({ address: text, path: described('The same in the page.', text) }),
  },
  'GET /api/calls/:call': {
    summary: 'One call with arguments, result, progress and the rule that decided.',
    answer: callDetail,
  },
  'GET /api/calls/:call/text': {
    summary: 'A part of a long text of a result.',
    query: object({ block: text, 'from?': text, 'to?': text }),
    answer: object({ text, from: whole, length: whole }),
  },
  'DELETE /api/calls/:call': { summary: 'Stops a call.', answer: object({ call: callRow }) },
  'GET /api/resources': {
    summary: 'Lists resources and templates.',
    command: 'plugboard resources',
    answer: object({
      resources: list(
        object({
          server: text,
          uri: text,
          name: text,
          'title?': text,
          'description?': text,
          'mimeType?': text,
          isTemplate: flag,
        }),
      ),
    }),
  },
  'GET /api/resource': {
    summary: 'Reads a resource.',
    command: 'plugboard read URI',
    query: object({ server: text, uri: text }),
    answer: object({ parts: typed<readonly ResourcePart[]>(list(openObject)) }),
  },
  'PUT /api/resource/subscribed': {
    summary: 'Follows a resource, or stops; events tell when it changes.',
    body: object({ server: text, uri: text, isSubscribed: flag }),
    answer: object({ isSubscribed: flag }),
  },
  'GET /api/prompts': {
    summary: 'Lists prompts.',
    command: 'plugboard prompts',
    answer: object({
      prompts: list(
        object({
          ref: text,
          server: text,
          name: text,
          'title?': text,
          description: text,
          arguments: list(object({ name: text, 'description?': text, required: flag })),
        }),
      ),
    }),
  },
  'POST /api/prompts/:ref': {
    summary: 'Fills in a prompt.',
    command: 'plugboard prompt PROMPT',
    body: object({ args: map(text) }),
    answer: object({
      'description?': text,
      messages: list(
        object({ role: oneOf('user', 'assistant'), blocks: typed<readonly Block[]>(list(openObject)) }),
      ),
      'findings?': described('Suspicious instructions or hidden text in the messages.', list(shownFinding)),
    }),
  },
  'POST /api/complete': {
    summary: 'Completes an argument of a prompt or a template.',
    body: object({
      server: text,
      'prompt?': text,
      'template?': text,
      argument: text,
      value: text,
      'known?': map(text),
    }),
    answer: typed<Completion>(openObject),
  },
} as const satisfies Readonly<Record<string, Route>>
