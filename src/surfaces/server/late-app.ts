import { HostError } from '../../index.ts'
import { createFailurePrinter } from './failure-printer.ts'
import type { ServeApp, ServeAppOptions } from './serve-app.ts'

/** After the page was answered: its other files are asked for in this time, and its first request to the API comes later. */
const afterPageMs = 25
/** Without a page: servers that start with the host start then. */
const afterStartMs = 300

export interface LateAppOptions extends ServeAppOptions {
  /** Called before the code of the host is loaded. */
  readonly onOpen?: () => void
}

/** The host and the API of a `serve`, which are loaded and opened when they are first needed. */
export class LateApp {
  readonly #options: LateAppOptions
  readonly #printFailure: (error: Error) => void
  #opening: Promise<ServeApp> | undefined
  #opened: ServeApp | undefined
  #timer: NodeJS.Timeout | undefined
  #isPageAnswered = false
  #isClosed = false

  constructor(options: LateAppOptions) {
    this.#options = options
    this.#printFailure = createFailurePrinter(options.print)
  }

  /** What failed is tried again by the next call. */
  open(): Promise<ServeApp> {
    if (this.#isClosed && !this.#opening)
      return Promise.reject(new HostError('host.closed', {}, 'This "plugboard serve" is ending.'))
    return (this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    }))
  }

  /** For a request, or for none: the person at the terminal is told why it failed. */
  async openOrPrint(): Promise<ServeApp> {
    try {
      return await this.open()
    } catch (error) {
      if (!(error instanceof HostError))
        this.#printFailure(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  /** Opens it in a moment, behind what is answered now. */
  openSoon(reason: 'start' | 'page' = 'start'): void {
    if (this.#isClosed || this.#opening || this.#isPageAnswered) return
    this.#isPageAnswered = reason === 'page'
    clearTimeout(this.#timer)
    // A request that needs it tries again, and is answered with what is wrong.
    const open = () => void this.openOrPrint().catch(() => undefined)
    this.#timer = setTimeout(open, reason === 'page' ? afterPageMs : afterStartMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.close()
  }

  /** No longer waits for servers that are slow to end. */
  async hurry(): Promise<void> {
    await this.#opened?.host.close()
  }

  async #open(): Promise<ServeApp> {
    clearTimeout(this.#timer)
    this.#options.onOpen?.()
    const { openServeApp } = await import('./serve-app.ts')
    this.#opened = await openServeApp(this.#options)
    return this.#opened
  }
}
