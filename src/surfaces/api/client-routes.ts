import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import { described, flag, list, number, object, oneOf, text, whole } from './schema-builder.ts'
import { moment } from './shared-shapes.ts'

/** A gateway of this user that runs. */
export const gatewayFacts = object({
  id: text,
  pid: whole,
  version: text,
  preset: text,
  'url?': described(
    'Where callers reach it over HTTP; absent for the one that clients share over stdio.',
    text,
  ),
  since: moment,
  isLeaving: described('It takes no new clients, and ends with its last one.', flag),
  clients: described('How many are connected.', whole),
  'note?': text,
  'command?': described('Stops it; absent over HTTP, where it ends in its own terminal.', text),
})
export type GatewayFacts = TypeOf<typeof gatewayFacts>

const tone = oneOf('ok', 'dim', 'warn', 'bad', 'ask')

/** A client of a gateway, as it describes itself. */
export const clientFacts = object({
  id: text,
  gateway: text,
  'pid?': described('Of the process that the client started; absent over HTTP.', whole),
  'caller?': described('Over HTTP: the name of the key, of the subject of the token, or `owner`.', text),
  name: text,
  'version?': text,
  'era?': described('Of the protocol; absent before its first message.', oneOf('legacy', 'modern')),
  'protocol?': described('The revision of the protocol.', text),
  folder: text,
  shownFolder: text,
  'view?': described('The view of the settings that it sees.', text),
  since: moment,
  tone,
  word: text,
  sentence: described('What it does now.', text),
  running: described('Calls that have not ended.', whole),
  servers: described('Those of its folder that were needed.', list(object({ name: text, state: text }))),
})
export type ClientFacts = TypeOf<typeof clientFacts>

/** A call of a client. Its arguments and its result are not known here. */
export const clientCall = object({
  id: text,
  client: text,
  kind: oneOf('tool', 'resource', 'prompt'),
  server: described('Empty if no server offers it.', text),
  name: described('The tool, the prompt or the uri.', text),
  state: oneOf('running', 'waits', 'done', 'failed', 'refused', 'cancelled', 'asked'),
  tone,
  word: text,
  at: described('When it began.', moment),
  'ms?': number,
  'detail?': described('How far it is, or why it failed or was refused.', text),
  'question?': described('The question that it waits for.', text),
})
export type ClientCall = TypeOf<typeof clientCall>

export const clientRoutes = {
  'GET /api/clients': {
    summary: 'The gateways of this user that run, their clients, and what these call.',
    command: 'plugboard gateway status --watch',
    answer: object({
      gateways: list(gatewayFacts),
      clients: list(clientFacts),
      calls: described('Those that run, and the last that have ended; the newest first.', list(clientCall)),
      connect: described(
        'How a client is connected.',
        object({ sentence: text, command: text, entry: described('JSON for the file of a client.', text) }),
      ),
    }),
  },
  'POST /api/gateways/:gateway/stop': {
    summary: 'Stops a gateway. Calls that run have 10 seconds; the next client starts it again.',
    command: 'plugboard gateway stop',
    answer: object({ isStopped: flag }),
  },
} as const satisfies Readonly<Record<string, Route>>
