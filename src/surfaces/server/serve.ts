import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RequestListener } from 'node:http'
import type { DiscoverOptions } from '../../index.ts'
import { AppFrames, believePlatform } from '../../internal.ts'
import { addressFile, alreadyRunning, findRunning, removeAddress, writeAddress } from './address-file.ts'
import type { ServeAddress } from './address-file.ts'
import { FrontAnswers, faultAnswer, send } from './front-answers.ts'
import { LateApp } from './late-app.ts'
import { listenOnLoopback } from './listen-locally.ts'
import { OpenLinks } from './open-links.ts'
import { keepPort, ownPorts } from './own-port.ts'
import { PageFiles } from './page-files.ts'
import { safeHeaders } from './page-security.ts'
import { createGuard } from './request-guard.ts'
import type { Guard } from './request-guard.ts'
import type { ServeApp } from './serve-app.ts'
import { proveToken } from './token-proof.ts'

export interface ServeOptions {
  readonly discover: DiscoverOptions
  /** 0 for any free port; without one that of the person, which is kept. */
  readonly port?: number
  readonly isDemo?: boolean
  /** Prints for the person at the terminal. */
  readonly print: (text: string) => void
  /** Of the terminal that it prints to. */
  readonly columns?: () => number | undefined
  /** Why that person cannot be relied on to see it; then no codes are shown. */
  readonly notShown?: string
  /** The variable by which an agent shows that it started this program (T48). */
  readonly agent?: string
  /** The folder with the built page. */
  readonly pageFolder?: string
  /** Called before the code of the host is loaded. */
  readonly onOpen?: () => void
}

export interface Served extends ServeAddress {
  /** The host and the API, opened by the first call of this. */
  app(): Promise<Pick<ServeApp, 'host' | 'feed'>>
  /** An address for a browser, which leads to the page once. */
  openAddress(): string
  /** Ends all streams, calls and servers. A second call no longer waits for servers that are slow to end. */
  close(): Promise<void>
}

/**
 * Serves the API and the page on 127.0.0.1, with a token that counts until it ends. The page is answered before the host is
 * open: that follows when the page has its files, with the first request to the API, or soon.
 */
export async function openServe(options: ServeOptions): Promise<Served> {
  const { print, isDemo = false } = options
  const cwd = resolve(options.discover.cwd ?? '.')
  const discover = { ...options.discover, cwd }
  const { platform } = await believePlatform({ ...discover.platform, cwd })
  const file = await addressFile(discover)
  const running = await findRunning(file)
  if (running) throw alreadyRunning(running)

  const frames = await AppFrames.open()
  let origin = ''
  const links = new OpenLinks(print)
  const app = new LateApp({
    places: () => ({ origin, frames, linkTo: (path) => origin + links.create(path) }),
    discover,
    cwd,
    home: platform.home,
    isDemo,
    print,
    ...(options.columns && { columns: options.columns }),
    ...(options.notShown !== undefined && { notShown: options.notShown }),
    ...(options.agent !== undefined && { agent: options.agent }),
    ...(options.onOpen && { onOpen: options.onOpen }),
  })
  const token = randomBytes(32).toString('base64url')
  const front = new FrontAnswers({
    pages: new PageFiles(options.pageFolder ?? builtPage()),
    links,
    pageToken: `#k=${token}`,
    prove: (nonce) => proveToken(token, nonce),
    ...(frames && { frames: frames.source }),
  })
  try {
    // What is wrong with the places that were named ends the start.
    if (discover.sources || discover.config !== undefined) await app.open()
    const { server, port } = await listenOnLoopback(
      (actual) => createListener(createGuard({ port: actual, token }), { front, app }),
      options.port === undefined ? { ports: await ownPorts(file) } : { chosen: options.port },
    )
    origin = `http://127.0.0.1:${port}`
    const address: ServeAddress = { address: origin, token, pid: process.pid, cwd }
    try {
      await writeAddress(file, address)
      if (options.port === undefined) await keepPort(file, port)
    } catch (error) {
      server.close()
      throw error
    }
    app.openSoon()
    let isClosing = false
    return {
      ...address,
      app: () => app.open(),
      openAddress: () => address.address + links.create(),
      async close() {
        if (isClosing) return app.hurry()
        isClosing = true
        server.close()
        frames?.close()
        try {
          await app.close()
        } finally {
          server.closeAllConnections()
          await removeAddress(file, address)
        }
      },
    }
  } catch (error) {
    frames?.close()
    await app.close()
    throw error
  }
}

/** Beside the folder of this file's chunk in dist/. */
function builtPage(): string {
  return fileURLToPath(new URL('../../page', import.meta.url))
}

function createListener(
  guard: Guard,
  { front, app }: { readonly front: FrontAnswers; readonly app: LateApp },
): RequestListener {
  return (request, response) => {
    try {
      const passed = guard(request)
      if (passed.isFront) {
        response.once('finish', () => app.openSoon('page'))
        void front.answer(request, response, passed.path)
        return
      }
      for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value)
      app.openOrPrint().then(
        // A client may leave meanwhile.
        (opened) => response.destroyed || opened.answer(request, response, passed),
        (error: unknown) => send(request, response, faultAnswer(error)),
      )
    } catch (refusal) {
      // The body of a refused request is not read.
      response.setHeader('connection', 'close')
      send(request, response, faultAnswer(refusal))
    }
  }
}
