import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AppDocument, AppGrants, FrameAnswer } from '../../../apps.ts'

interface OpenFrame {
  /** The name that its address has, before `.localhost`. */
  readonly label: string
  /** By path; each is answered once. */
  readonly answers: Map<string, FrameAnswer>
}

export interface FrameAddress {
  readonly id: string
  readonly origin: string
  readonly address: string
}

/** More frames than a person has open at once. */
const maxFrames = 100

/**
 * A second port for the documents of apps. Each has a name of its own below `localhost`, so that browsers put it into a process
 * of its own, apart from the page at 127.0.0.1 and from other apps. Nothing is answered there but documents that were just opened,
 * each once, with the policy that belongs to it.
 */
export class AppFrames {
  readonly port: number
  readonly #servers: readonly Server[]
  readonly #frames = new Map<string, OpenFrame>()

  private constructor(port: number, servers: readonly Server[]) {
    this.port = port
    this.#servers = servers
  }

  /** `undefined` if no port can be used: then no app is shown. */
  static async open(): Promise<AppFrames | undefined> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const handle: { frames?: AppFrames } = {}
      const listener: RequestListener = (request, response) => handle.frames?.answer(request, response)
      const first = await listen(listener, '127.0.0.1', 0)
      if (!first) return undefined
      const port = portOf(first)
      // Browsers try ::1 first for a name below localhost: another program must not answer there.
      const second = await listen(listener, '::1', port)
      if (second === 'taken') {
        first.close()
        continue
      }
      handle.frames = new AppFrames(port, second ? [first, second] : [first])
      return handle.frames
    }
    return undefined
  }

  /** The sources that a page may show in frames. */
  get source(): string {
    return `http://*.localhost:${this.port}`
  }

  async add(app: Pick<AppDocument, 'html'>, grants: AppGrants, hostOrigin: string): Promise<FrameAddress> {
    const id = randomBytes(24).toString('hex')
    const label = `app-${randomBytes(12).toString('hex')}`
    const origin = `http://${label}.localhost:${this.port}`
    const [framePath, appPath] = [`/${id}`, `/${id}/app`]
    // Loaded with the first app: the page is answered without it.
    const { appFrameDocuments } = await import('../../../apps.ts')
    const documents = appFrameDocuments(app, { grants, hostOrigin, frameOrigin: origin, appPath })
    const answers = new Map([
      [framePath, documents.frame],
      [appPath, documents.app],
    ])
    this.#frames.set(id, { label, answers })
    const [oldest] = this.#frames.keys()
    if (this.#frames.size > maxFrames && oldest !== undefined) this.#frames.delete(oldest)
    return { id, origin, address: origin + framePath }
  }

  remove(id: string): void {
    this.#frames.delete(id)
  }

  close(): void {
    this.#frames.clear()
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const found = this.#take(request)
    // The body of a request is not read.
    response.setHeader('connection', 'close')
    if (!found) {
      response.writeHead(404, {
        'content-type': 'text/plain',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      response.end('There is nothing here.\n')
      return
    }
    response.writeHead(200, { ...found.headers, 'content-length': String(Buffer.byteLength(found.body)) })
    response.end(found.body)
  }

  /** A document is asked for by the frame that shows it, at the name that belongs to it. */
  #take({ method, url = '', headers }: IncomingMessage): FrameAnswer | undefined {
    const [, id = ''] = /^\/([0-9a-f]{48})(?:\/app)?$/.exec(url) ?? []
    const frame = this.#frames.get(id)
    if (method !== 'GET' || !frame || headers.host !== `${frame.label}.localhost:${this.port}`)
      return undefined
    const { 'sec-fetch-dest': destination = 'iframe' } = headers
    const found = destination === 'iframe' ? frame.answers.get(url) : undefined
    frame.answers.delete(url)
    return found
  }
}

async function listen(listener: RequestListener, host: '127.0.0.1', port: number): Promise<Server | undefined>
async function listen(
  listener: RequestListener,
  host: '::1',
  port: number,
): Promise<Server | 'taken' | undefined>
async function listen(
  listener: RequestListener,
  host: string,
  port: number,
): Promise<Server | 'taken' | undefined> {
  const server = createServer({ requireHostHeader: true, insecureHTTPParser: false }, listener)
  server.maxConnections = 64
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' ? 'taken' : undefined),
    )
    server.listen(port, host, () => resolve(server))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
