import type { Value } from '../../model/server.ts'
import type { Keychain } from '../../platform/login-ports.ts'
import { classifyLiteral, literalInArgument, literalsWithin } from '../../sources/entries/literal-secrets.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'

/** The service of the secrets that entries refer to. Our own service holds logins, which no entry may read (T32). */
export const entryService = 'plugboard-servers'

export interface StoredSecret {
  readonly account: string
  readonly secret: string
}

/** Whether secrets can be stored and found again. Looks for one that does not exist, and stores nothing. */
export async function isKeychainUsable(keychain: Keychain | undefined): Promise<boolean> {
  if (!keychain?.find || !keychain.store) return false
  try {
    await keychain.find(entryService, 'none')
    return true
  } catch {
    return false
  }
}

/** Replaces the literal secrets of a server by references to the keychain. */
export function toKeychain(server: NewServer): {
  readonly server: NewServer
  readonly secrets: readonly StoredSecret[]
} {
  const secrets: StoredSecret[] = []
  const refer = (key: string, text: string, { start, end }: Span) => {
    const account = freeAccount(`${server.name}.${key}`.replaceAll(/[^\w.-]+/g, '-'), secrets)
    secrets.push({ account, secret: text.slice(start, end) })
    return `${text.slice(0, start)}${keychainReference(account)}${text.slice(end)}`
  }
  const value = (key: string, text: string) => {
    const span = spanOf(key, text)
    return span ? refer(key, text, span) : text
  }
  const values = (map: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(
      Object.entries(map).map(([key, text]) => [key, typeof text === 'string' ? value(key, text) : text]),
    )
  const { transport } = server
  if (transport.kind !== 'stdio')
    return {
      server: {
        ...server,
        transport: { ...transport, url: value('url', transport.url), headers: values(transport.headers) },
      },
      secrets,
    }
  const { args = [] } = transport
  const words = [transport.command, ...args]
  return {
    server: {
      ...server,
      transport: {
        ...transport,
        args: args.map((word, at) => {
          const literal = literalInArgument(word, words[at])
          return literal?.kind === 'secret' ? refer(literal.name.replace(/^-+/, ''), word, literal) : word
        }),
        env: values(transport.env),
      },
    },
    secrets,
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Where the secret stands in the value: a password in an address, or everything after the scheme. */
function spanOf(key: string, text: string): Span | undefined {
  if (classifyLiteral(key, text) !== 'secret') return undefined
  const [within] = literalsWithin(text)
  if (within) return within
  const start = /^(?:bearer|basic|token|api-?key|key)\s+/i.exec(text)?.[0].length ?? 0
  return { start, end: text.length }
}

function freeAccount(wanted: string, taken: readonly StoredSecret[]): string {
  let account = wanted
  for (let n = 2; taken.some((each) => each.account === account); n++) account = `${wanted}-${n}`
  return account
}

/** How an entry refers to a secret. */
export function keychainReference(account: string): string {
  return `\${keychain:${entryService}/${account}}`
}

const reference = new RegExp(`\\$\\{keychain:${entryService}/([^}]+)\\}`, 'g')

/** The text with the secrets that it refers to, as far as the keychain has them. */
export async function withSecrets(text: string, keychain: Keychain | undefined): Promise<string> {
  const accounts = [...new Set([...text.matchAll(reference)].map(([, account = '']) => account))]
  const found = new Map<string, string>()
  for (const account of accounts) {
    const secret = await keychain?.find?.(entryService, account).catch(() => undefined)
    if (secret !== undefined) found.set(account, secret)
  }
  return text.replace(reference, (whole, account: string) => found.get(account) ?? whole)
}
