import { HostError } from '../model/error.ts'
import type { Failure } from '../model/status.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { toFailure } from './failure.ts'
import { toHostError } from './to-host-error.ts'

/** What went wrong with one server, in the words that people are told. */
export class Telling {
  readonly #options: Pick<ConnectionOptions, 'server' | 'clock' | 'redact' | 'mask' | 'reword'>

  constructor(options: Pick<ConnectionOptions, 'server' | 'clock' | 'redact' | 'mask' | 'reword'>) {
    this.#options = options
  }

  failure(error: unknown): Failure {
    const { reword, server } = this.#options
    const failure = toFailure(error, this.#context())
    return reword ? reword.failure(failure, server.name) : failure
  }

  /** For whoever asked. */
  error(error: unknown, method: string): unknown {
    const told = toHostError(error, { ...this.#context(), method })
    const { reword } = this.#options
    return reword && told instanceof HostError ? reword.error(told) : told
  }

  #context() {
    const { server, clock, redact, mask } = this.#options
    return { server: server.name, at: clock.now(), ...(redact && { redact }), ...(mask && { mask }) }
  }
}
