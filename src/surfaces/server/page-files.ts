import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { RequestFault } from './request-fault.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/** The endings of compressed files beside a file, the smallest first. */
const encodings = { br: '.br', gzip: '.gz' } as const
const encodingNames = ['br', 'gzip'] as const

export interface PageRequest {
  readonly path: string
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

export interface PageAnswer {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** The files of the page. Only what the build wrote is served: a path is looked up by name, never opened. */
export class PageFiles {
  readonly #folder: string
  #names: Promise<ReadonlySet<string>> | undefined
  readonly #contents = new Map<string, Promise<{ readonly body: Buffer; readonly tag: string }>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Every address that is no file is a view of the page, which reads it itself. */
  async answer({ path, acceptEncoding, ifNoneMatch }: PageRequest): Promise<PageAnswer> {
    const names = await (this.#names ??= this.#list())
    const asked = path.slice(1)
    const name = asked !== '' && names.has(asked) && !isCompressed(asked) ? asked : 'index.html'
    if (name === 'index.html' && (path.startsWith('/assets/') || isCompressed(asked)))
      throw new RequestFault('http.not-found', 'There is no such file.')
    if (!names.has(name)) {
      this.#names = undefined
      throw new RequestFault('http.no-page', 'The files of the page are not built.', {
        hint: 'In the repository: npm run build',
      })
    }
    const encoding = encodingNames.find(
      (each) => accepts(acceptEncoding, each) && names.has(name + encodings[each]),
    )
    const { body, tag } = await this.#read(encoding === undefined ? name : name + encodings[encoding])
    const headers = {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      // Names of assets have a hash of their content.
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'Accept-Encoding',
      etag: tag,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    }
    return matches(ifNoneMatch, tag) ? { status: 304, headers } : { status: 200, headers, body }
  }

  async #list(): Promise<ReadonlySet<string>> {
    const found = await readdir(this.#folder, { recursive: true }).catch(() => [])
    return new Set(found.map((name) => name.split(sep).join('/')))
  }

  #read(name: string): Promise<{ readonly body: Buffer; readonly tag: string }> {
    const known = this.#contents.get(name)
    if (known) return known
    const reading = readFile(join(this.#folder, name)).then((body) => ({
      body,
      tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    }))
    reading.catch(() => this.#contents.delete(name))
    this.#contents.set(name, reading)
    return reading
  }
}

function isCompressed(name: string): boolean {
  return name.endsWith('.br') || name.endsWith('.gz')
}

function accepts(header: string | undefined, encoding: string): boolean {
  const found = header?.split(',').map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  const [, weight] = found?.find(([name]) => name === encoding) ?? []
  return found?.some(([name]) => name === encoding) === true && !/^q=0(?:\.0*)?$/.test(weight ?? '')
}

function matches(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag) === true
}
