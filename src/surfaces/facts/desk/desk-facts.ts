import { durationText } from '../../../internal.ts'
import { countOf } from '../count-word.ts'

/** What `plugboard gateway status` shows of one gateway. */
export interface DeskStatus {
  readonly pid: number
  readonly version: string
  readonly preset: string
  readonly socket: string
  /** The address that callers use over HTTP; absent for the gateway that clients share over stdio. */
  readonly url?: string
  readonly startedAt: string
  /** It takes no new clients, and ends with its last one. */
  readonly isLeaving: boolean
  readonly clients: readonly DeskClientStatus[]
  readonly folders: readonly DeskFolderStatus[]
}

export interface DeskClientStatus {
  /** Names it among all clients of this user. */
  readonly id: string
  /** Of the process that the client started; absent over HTTP. */
  readonly pid?: number
  /** Over HTTP: the name of the key, of the subject of the token, or `owner`. */
  readonly caller?: string
  readonly name?: string
  readonly version?: string
  /** The era and the revision of the protocol that it speaks; absent before its first message. */
  readonly era?: 'legacy' | 'modern'
  readonly protocol?: string
  readonly cwd: string
  readonly view?: string
  readonly since: string
  /** Requests that are not answered yet. */
  readonly requests: number
}

/** A request of a client that a server answers. Its arguments and its result are not told. */
export interface DeskCall {
  readonly id: string
  readonly client: string
  readonly kind: 'tool' | 'resource' | 'prompt'
  /** Empty if no server offers it. */
  readonly server: string
  /** The tool, the prompt or the uri. */
  readonly name: string
  /** `asked`: the client has a question as its result, and calls again with the answer. */
  readonly state: 'running' | 'waits' | 'done' | 'failed' | 'refused' | 'cancelled' | 'asked'
  /** What waits for an answer: its client, or a question of this id for the person. */
  readonly asks?: { readonly of: 'client' | 'person'; readonly question?: string }
  /** Milliseconds since 1970. */
  readonly at: number
  readonly ms?: number
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
  /** Why it failed or was refused. */
  readonly reason?: string
}

/** What a program that watches a gateway is sent: everything first, then what changes. */
export type DeskNews =
  | { readonly status: DeskStatus; readonly calls?: readonly DeskCall[] }
  | { readonly call: DeskCall }

/** The gateways of a user as far as they are known now, followed until it is disposed of. */
export interface FollowedDesks extends Disposable {
  readonly gateways: readonly DeskStatus[]
  /** Calls that run, and the last that have ended, of gateways that run; the oldest first. */
  readonly calls: readonly DeskCall[]
}

/** The servers of one folder with one set of values; clients with the same share them. */
export interface DeskFolderStatus {
  readonly cwd: string
  /** Process ids of the clients. */
  readonly clients: readonly number[]
  readonly servers: readonly { readonly name: string; readonly state: string }[]
}

/** One line of who is connected to what. */
export interface DeskLine {
  readonly depth: 0 | 1 | 2
  readonly text: string
}

/** The gateways of a user as lines: each gateway, its folders with their servers, and the clients of each. */
export function deskLines(desks: readonly DeskStatus[], now: number): readonly DeskLine[] {
  return desks.flatMap(({ pid, version, preset, url, isLeaving, startedAt, clients, folders }) => {
    const marks = [
      ...(url === undefined ? [] : [url]),
      ...(preset === 'default' ? [] : [`preset ${preset}`]),
      ...(isLeaving ? [url === undefined ? 'leaving: a newer version takes new clients' : 'stopping'] : []),
    ]
    const suffix = marks.length > 0 ? ` (${marks.join('; ')})` : ''
    const since = durationText(Math.max(0, now - Date.parse(startedAt)))
    return [
      {
        depth: 0 as const,
        text: `Gateway ${pid}, version ${version}, for ${since}: ${countOf(clients.length, 'client')}${suffix}`,
      },
      ...folders.flatMap((folder) => [
        { depth: 1 as const, text: `${folder.cwd}: ${serversText(folder.servers)}` },
        ...clients
          .filter(({ pid: own }) => own === undefined || folder.clients.includes(own))
          .map((client) => ({ depth: 2 as const, text: clientText(client) })),
      ]),
    ]
  })
}

function serversText(servers: DeskStatus['folders'][number]['servers']): string {
  if (servers.length === 0) return 'no server asked for yet'
  return servers.map(({ name, state }) => `${name} (${state})`).join(', ')
}

function clientText({ name, version, pid, caller, view, requests }: DeskStatus['clients'][number]): string {
  const who = name === undefined ? 'a client' : `${name}${version === undefined ? '' : ` ${version}`}`
  const parts = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(caller === undefined ? [] : [`caller ${caller}`]),
    ...(view === undefined ? [] : [`view ${view}`]),
    ...(requests === 0 ? [] : [countOf(requests, 'open request')]),
  ]
  return `${who} (${parts.join(', ')})`
}
