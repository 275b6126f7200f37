import { randomBytes } from 'node:crypto'
import type { AppDocument } from '../model/app/app-document.ts'
import type { AppGrants } from '../model/app/app-security.ts'
import { listenOnLoopbacks } from '../platform/node/loopback-pair.ts'
import type { LoopbackAnswer, LoopbackPair, LoopbackRequest } from '../platform/node/loopback-pair.ts'
import type { FrameAnswer } from './frame-document.ts'

interface OpenFrame {
  /** Its own name and the port, as a browser sends them. */
  readonly host: string
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

const nothingHere: LoopbackAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain', 'content-security-policy': "default-src 'none'; sandbox" },
  body: 'There is nothing here.\n',
}

/**
 * A port for the documents of apps. Each has a name of its own below `localhost`, so that browsers put it into a process
 * of its own, apart from the page at 127.0.0.1 and from other apps. Nothing is answered there but documents that were just opened,
 * each once, with the policy that belongs to it.
 */
export class AppFrames {
  readonly #pair: LoopbackPair
  readonly #frames: Map<string, OpenFrame>

  private constructor(pair: LoopbackPair, frames: Map<string, OpenFrame>) {
    this.#pair = pair
    this.#frames = frames
  }

  /** `undefined` if no port can be used: then no app is shown. */
  static async open(): Promise<AppFrames | undefined> {
    const frames = new Map<string, OpenFrame>()
    const pair = await listenOnLoopbacks((request) => {
      const found = takeDocument(frames, request)
      return found ? { status: 200, ...found } : nothingHere
    })
    return pair && new AppFrames(pair, frames)
  }

  /** The sources that a page may show in frames. */
  get source(): string {
    return `http://*.localhost:${this.#pair.port}`
  }

  async add(app: Pick<AppDocument, 'html'>, grants: AppGrants, hostOrigin: string): Promise<FrameAddress> {
    const id = randomBytes(24).toString('hex')
    const host = `app-${randomBytes(12).toString('hex')}.localhost:${this.#pair.port}`
    const origin = `http://${host}`
    const [framePath, appPath] = [`/${id}`, `/${id}/app`]
    // Loaded with the first app: the page is answered without it.
    const { appFrameDocuments } = await import('./frame-document.ts')
    const documents = appFrameDocuments(app, { grants, hostOrigin, frameOrigin: origin, appPath })
    const answers = new Map([
      [framePath, documents.frame],
      [appPath, documents.app],
    ])
    this.#frames.set(id, { host, answers })
    const [oldest] = this.#frames.keys()
    if (this.#frames.size > maxFrames && oldest !== undefined) this.#frames.delete(oldest)
    return { id, origin, address: origin + framePath }
  }

  remove(id: string): void {
    this.#frames.delete(id)
  }

  close(): void {
    this.#frames.clear()
    this.#pair.close()
  }
}

/** A document is asked for by the frame that shows it, at the name that belongs to it. */
function takeDocument(
  frames: ReadonlyMap<string, OpenFrame>,
  { method, url, host, destination = 'iframe' }: LoopbackRequest,
): FrameAnswer | undefined {
  const [, id = ''] = /^\/([0-9a-f]{48})(?:\/app)?$/.exec(url) ?? []
  const frame = frames.get(id)
  if (method !== 'GET' || !frame || host !== frame.host) return undefined
  const found = destination === 'iframe' ? frame.answers.get(url) : undefined
  frame.answers.delete(url)
  return found
}
