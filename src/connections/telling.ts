import type { Failure } from '../model/status.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { toFailure } from './failure.ts'
import { toHostError } from './to-host-error.ts'

/** What went wrong with one server, in the words that people are told. */
export class Telling {
  readonly #options: Pick<ConnectionOptions, 'server' | 'clock' | 'redact'>

  constructor(options: Pick<ConnectionOptions, 'server' | 'clock' | 'redact'>) {
    this.#options = options
  }

  failure(error: unknown): Failure {
    return toFailure(error, this.#context())
  }

  /** For whoever asked. */
  error(error: unknown, method: string): unknown {
    return toHostError(error, { ...this.#context(), method })
  }

  #context() {
    const { server, clock, redact } = this.#options
    return { server: server.name, at: clock.now(), ...(redact && { redact }) }
  }
}
