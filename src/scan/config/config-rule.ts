import type { Severity } from '../../model/finding.ts'
import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Authority, Transport, Value } from '../../model/server.ts'
import type { RuleHead } from '../rules/rule.ts'

/** The parts of a declaration that rules look at. */
export interface ScannedServer {
  readonly name: string
  readonly transport: Transport
  readonly origin: { readonly authority: Authority }
  readonly declared: readonly { readonly entry: JsonObject }[]
}

export interface ConfigMatch {
  readonly severity: Severity
  /** Where in the entry, as a JSON pointer. */
  readonly pointer: string
  readonly message: string
  readonly evidence?: string
}

/** A rule over one declared server. Nothing is started, resolved or looked up. */
export interface ConfigRule extends Omit<RuleHead, 'hits' | 'misses'> {
  readonly find: (server: ScannedServer) => readonly ConfigMatch[]
  /** Entries of a project's file. */
  readonly hits: readonly JsonObject[]
  readonly misses: readonly JsonObject[]
}

/** A value that can hold a secret, with its place. */
export interface NamedValue {
  readonly field: 'env' | 'headers' | 'args' | 'url'
  readonly key: string
  readonly value: string
  readonly pointer: string
}

export function namedValues({ transport }: ScannedServer): readonly NamedValue[] {
  const map = (field: 'env' | 'headers', values: Readonly<Record<string, Value>> | undefined) =>
    Object.entries(values ?? {}).flatMap(([key, value]): readonly NamedValue[] =>
      typeof value === 'string' ? [{ field, key, value, pointer: `/${field}/${escapeKey(key)}` }] : [],
    )
  if (transport.kind !== 'stdio')
    return [
      { field: 'url', key: 'url', value: transport.url, pointer: '/url' },
      ...map('headers', transport.headers),
      ...map('env', transport.env),
    ]
  const { args, env } = transport
  return [
    ...args.map((value, index) => ({ field: 'args' as const, key: '', value, pointer: `/args/${index}` })),
    ...map('env', env),
  ]
}

export function isOfProject({ origin }: ScannedServer): boolean {
  return origin.authority === 'project'
}

/** An entry as a server of a project, for examples. */
export function exampleDeclared(entry: JsonObject): ScannedServer {
  const { command, args, env, url, headers } = entry
  const values = (map: unknown) => (isObject(map) ? Object.fromEntries(Object.entries(map).map(toText)) : {})
  return {
    name: 'example',
    origin: { authority: 'project' },
    declared: [{ entry }],
    transport:
      typeof command === 'string'
        ? {
            kind: 'stdio',
            command,
            args: Array.isArray(args) ? args.map(String) : [],
            env: values(env),
            framing: 'auto',
            inheritEnv: false,
          }
        : { kind: 'http', url: typeof url === 'string' ? url : '', headers: values(headers) },
  }
}

function toText([key, value]: readonly [string, unknown]): readonly [string, string] {
  return [key, String(value)]
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
