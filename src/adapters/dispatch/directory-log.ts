import type { Diagnostic, HostEvent, Server } from '../../index.ts'
import { Redactor } from '../../model/secrets/redactor.ts'
import type { Logger } from './kernel-contracts.ts'
import { heldSentences } from '../held-sentence.ts'
import { toSentences } from '../diagnostic-sentence.ts'
import { errorOf } from './dispatch-server.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Writes the events of one working directory to Dispatch's logger, with the values of `env` and `headers` redacted (D26). */
export class DirectoryLog {
  readonly #cwd: string
  readonly #logger: Logger | undefined
  readonly #redactor = new Redactor()
  /** Short values: redacted only as whole words, because they also occur inside of words. */
  readonly #short = new Map<string, RegExp>()
  readonly #logged = new Set<string>()

  constructor(cwd: string, logger: Logger | undefined) {
    this.#cwd = cwd
    this.#logger = logger
  }

  readonly redact = (text: string): string => {
    let clean = this.#redactor.redact(text)
    for (const word of this.#short.values()) clean = clean.replace(word, '•••')
    return clean
  }

  /** Registers the values of these servers for redaction; of a header also each word, such as the one after `Bearer`. */
  registerSecrets(servers: readonly Server[]): void {
    for (const { transport } of servers) {
      const values = Object.values(transport.kind === 'stdio' ? transport.env : transport.headers)
      const texts = values.filter((value) => typeof value === 'string')
      const words = transport.kind === 'stdio' ? [] : texts.flatMap((text) => text.split(/\s+/))
      for (const text of [...texts, ...words]) {
        this.#redactor.register(text)
        if (isShort(text)) this.#short.set(text, toWordPattern(text))
      }
    }
  }

  /** Logs each problem of the configuration once. */
  logProblems(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) {
      const { code, severity, message, server, origin } = diagnostic
      const key = JSON.stringify([code, message, origin?.file, server])
      if (this.#logged.has(key)) continue
      this.#logged.add(key)
      this.write(severity, toSentences(diagnostic, 'dispatch'), {
        code,
        ...(server !== undefined && { server }),
        ...(origin && { file: origin.file }),
      })
    }
  }

  logEvent(event: HostEvent): void {
    if (event.type === 'offer.held')
      for (const sentence of heldSentences(event, 'dispatch'))
        this.write('warn', sentence, { server: event.server })
    if (event.type === 'server.warned') this.write('warn', event.message, { server: event.server })
    if (event.type === 'catalog.changed') {
      const { server, added, removed, changed } = event
      const counts = { added: added.length, removed: removed.length, changed: changed.length }
      this.write('info', 'MCP tools changed', { server, ...counts })
    }
    if (event.type !== 'server.changed') return
    const { server, status } = event
    const error = errorOf(server, status, this.#cwd)
    if (error !== undefined) this.write('warn', `MCP server ${status.state}: ${error}`, { server })
    else if (status.reason !== 'progress')
      this.write('debug', `MCP server ${status.state}`, { server, reason: status.reason })
  }

  write(level: Level, message: string, attributes: Attributes = {}): void {
    const clean = Object.entries({ cwd: this.#cwd, ...attributes }).map(([name, value]) => [
      name,
      typeof value === 'string' ? this.redact(value) : value,
    ])
    try {
      this.#logger?.[level](this.redact(message), Object.fromEntries(clean))
    } catch {
      // An exception of the logger must not fail the turn.
    }
  }
}

/** Values under four characters are not redacted: they are no secrets, and would match almost every line. */
function isShort({ length }: string): boolean {
  return length >= 4 && length < 8
}

function toWordPattern(text: string): RegExp {
  return new RegExp(`(?<!\\w)${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'g')
}
