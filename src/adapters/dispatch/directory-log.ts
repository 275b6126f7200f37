import type { Diagnostic, HostEvent, Server } from '../../index.ts'
import { Redactor } from '../../model/secret.ts'
import type { Logger } from './kernel-contracts.ts'
import { toSentences } from '../diagnostic-sentence.ts'
import { errorOf } from './dispatch-server.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'
type Attributes = Readonly<Record<string, string | number | boolean>>

/** Says what happens in one working directory to Dispatch's logger, without a value of `env` or `headers` (D26). */
export class DirectoryLog {
  readonly #cwd: string
  readonly #logger: Logger | undefined
  readonly #redactor = new Redactor()
  /** Values too short to be looked for inside of words. */
  readonly #short = new Map<string, RegExp>()
  readonly #told = new Set<string>()

  constructor(cwd: string, logger: Logger | undefined) {
    this.#cwd = cwd
    this.#logger = logger
  }

  readonly redact = (text: string): string => {
    let clean = this.#redactor.redact(text)
    for (const word of this.#short.values()) clean = clean.replace(word, '•••')
    return clean
  }

  /** What these servers are given is never told; of a header, neither is what stands behind `Bearer`. */
  learn(servers: readonly Server[]): void {
    for (const { transport } of servers) {
      const values = Object.values(transport.kind === 'stdio' ? transport.env : transport.headers)
      const texts = values.filter((value) => typeof value === 'string')
      const words = transport.kind === 'stdio' ? [] : texts.flatMap((text) => text.split(/\s+/))
      for (const text of [...texts, ...words]) {
        this.#redactor.register(text)
        if (isShort(text)) this.#short.set(text, wordOf(text))
      }
    }
  }

  /** Each problem of the configuration once. */
  problems(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) {
      const { code, severity, message, server, origin } = diagnostic
      const key = JSON.stringify([code, message, origin?.file, server])
      if (this.#told.has(key)) continue
      this.#told.add(key)
      this.say(severity, toSentences(diagnostic, 'dispatch'), {
        code,
        ...(server !== undefined && { server }),
        ...(origin && { file: origin.file }),
      })
    }
  }

  happened(event: HostEvent): void {
    if (event.type === 'server.warned') this.say('warn', event.message, { server: event.server })
    if (event.type === 'catalog.changed') {
      const { server, added, removed, changed } = event
      const counts = { added: added.length, removed: removed.length, changed: changed.length }
      this.say('info', 'MCP tools changed', { server, ...counts })
    }
    if (event.type !== 'server.changed') return
    const { server, status } = event
    const error = errorOf(server, status, this.#cwd)
    if (error !== undefined) this.say('warn', `MCP server ${status.state}: ${error}`, { server })
    else if (status.reason !== 'progress')
      this.say('debug', `MCP server ${status.state}`, { server, reason: status.reason })
  }

  say(level: Level, message: string, attributes: Attributes = {}): void {
    const clean = Object.entries({ cwd: this.#cwd, ...attributes }).map(([name, value]) => [
      name,
      typeof value === 'string' ? this.redact(value) : value,
    ])
    try {
      this.#logger?.[level](this.redact(message), Object.fromEntries(clean))
    } catch {
      // A logger that fails is no reason to lose a turn.
    }
  }
}

/** Fewer characters than four are no secret, and are in every other line. */
function isShort({ length }: string): boolean {
  return length >= 4 && length < 8
}

function wordOf(text: string): RegExp {
  return new RegExp(`(?<!\\w)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'g')
}
