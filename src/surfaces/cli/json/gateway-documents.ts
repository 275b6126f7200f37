import { clientCall, clientFacts, gatewayFacts } from '../../api/client-routes.ts'
import {
  described,
  either,
  flag,
  list,
  object,
  oneOf,
  ref,
  text,
  texts,
  whole,
} from '../../api/schema-builder.ts'
import { document } from './command-document.ts'
import type { JsonDocument } from './command-document.ts'
import { diagnostics, version } from './schema-parts.ts'

const client = object({
  id: described('Names it among all clients of this user.', text),
  'pid?': described('Of the process that the client started; absent over HTTP.', whole),
  'caller?': described('Over HTTP: the name of the key, of the subject of the token, or `owner`.', text),
  'name?': described('As the client names itself.', text),
  'version?': text,
  'era?': described('Of the protocol; absent before its first message.', oneOf('legacy', 'modern')),
  'protocol?': described('The revision of the protocol.', text),
  cwd: text,
  'view?': text,
  since: text,
  requests: described('How many are not answered yet.', whole),
})

const folder = object({
  cwd: text,
  clients: described('The process ids of the clients that share these servers.', list(whole)),
  servers: list(object({ name: text, state: text })),
})

export const gateway = object({
  pid: whole,
  version: text,
  preset: text,
  socket: text,
  'url?': described(
    'Where callers reach it over HTTP; absent for the one that clients share over stdio.',
    text,
  ),
  startedAt: text,
  isLeaving: described('It takes no new clients, and ends with its last one.', flag),
  clients: list(client),
  folders: list(folder),
})

const publishedVersion = object({
  number: whole,
  at: text,
  'by?': described('The account that published it.', text),
  'message?': text,
  'copyOf?': described('The version that it repeats, if it was made by a rollback.', whole),
  hash: text,
})

export const gatewayDocuments: Readonly<Record<string, JsonDocument>> = {
  'gateway serve': document({
    url: text,
    'token?': described('Absent beyond this machine, where only keys count.', text),
    pid: whole,
    sessions: flag,
  }),
  'gateway status': {
    ...document({ gateways: list(gateway) }),
    line: either(
      described(
        'With `--watch`: everything at first, and again whenever a client, its state or its servers change.',
        object({
          'version?': version,
          type: oneOf('clients'),
          gateways: list(gatewayFacts),
          clients: list(clientFacts),
        }),
      ),
      described(
        'With `--watch`: each step of a call.',
        object({ 'version?': version, type: oneOf('call'), call: clientCall }),
      ),
      ref('Error'),
    ),
  },
  'gateway stop': document({ stopped: list(object({ pid: whole, preset: text, clients: whole })) }),
  'gateway logs': document({ file: text, lines: texts }),
  'gateway publish': document({
    published: publishedVersion,
    isNew: described('False if the configuration in force has the same text.', flag),
    servers: texts,
    diagnostics,
  }),
  'gateway rollback': document({ published: publishedVersion, isNew: flag }),
  'gateway versions': document({ versions: list(publishedVersion) }),
}
