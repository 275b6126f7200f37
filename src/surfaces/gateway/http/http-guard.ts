import type { HttpRequest } from '../plain-http/http-messages.ts'

export interface HttpGuardOptions {
  /** Values of the header `Host` that are answered. */
  readonly hosts: readonly string[]
  /** Pages that may send requests. */
  readonly origins: readonly string[]
}

/**
 * Checks every request before anything reads it (T36): it names this server, comes from no page of another origin, and has no
 * header twice that decides. Returns what it says about its caller. Throws a `RequestFault`.
 */
export type HttpGuard = (
  request: HttpRequest,
  options: HttpGuardOptions,
  /** The host that the request is for, if a proxy that is believed says so. */
  host: string | undefined,
) => { readonly path: string; readonly authorization: string | undefined }

/**
 * The same for a page that a person opens in a browser, from wherever its address was given: it names this server. What it may
 * do is for the page to say.
 */
export type PageGuard = (
  request: HttpRequest,
  options: Pick<HttpGuardOptions, 'hosts'>,
  host: string | undefined,
) => { readonly path: string; readonly origin: string | undefined }

/** Addresses whose form was checked are remembered: clients use one or two of them. */
const maxKnownUrls = 256

export async function loadHttpGuard(): Promise<{
  readonly guard: HttpGuard
  readonly pageGuard: PageGuard
  /** The status and the words for an error of the guard. */
  readonly faultOf: (error: unknown) => { readonly status: number; readonly message: string }
}> {
  const [{ hasBody, methods, readHeaders, readPath }, { RequestFault }] = await Promise.all([
    import('../../server/request-guard.ts'),
    import('../../server/request-fault.ts'),
  ])
  const knownUrls = new Map<string, string>()
  const pathOf = (url: string) => {
    const known = knownUrls.get(url)
    if (known !== undefined) return known
    const { path } = readPath(url)
    if (knownUrls.size >= maxKnownUrls) knownUrls.clear()
    knownUrls.set(url, path)
    return path
  }
  const checkHost = (hosts: readonly string[], named: string | undefined) => {
    if (!hosts.includes((named ?? '').toLowerCase()))
      throw new RequestFault('http.host', 'This server does not answer for that host.')
  }
  const pageGuard: PageGuard = (request, { hosts }, host) => {
    const values = readHeaders(request)
    checkHost(hosts, host ?? values.host)
    // Not remembered: each address is used once or twice.
    return { path: readPath(request.url ?? '').path, origin: values.origin }
  }
  const guard: HttpGuard = (request, { hosts, origins }, host) => {
    const { method = '', url = '' } = request
    const values = readHeaders(request)
    checkHost(hosts, host ?? values.host)
    const { origin } = values
    const isKnownPage = origin !== undefined && origins.includes(origin)
    if (origin !== undefined && !isKnownPage)
      throw new RequestFault('http.origin', 'Pages of other origins are refused.')
    const site = values['sec-fetch-site']
    if (site !== undefined && !isKnownPage && !['same-origin', 'none'].includes(site))
      throw new RequestFault('http.origin', 'Requests of other sites are refused.')
    const path = pathOf(url)
    if (!methods.has(method))
      throw new RequestFault('http.method', `The method ${method.slice(0, 20)} is not used here.`)
    const type = values['content-type']
    if (type !== 'application/json' && hasBody(request) && !isJson(type))
      throw new RequestFault('http.type', 'A body has to be application/json.')
    return { path, authorization: values.authorization }
  }
  return {
    guard,
    pageGuard,
    faultOf: (error) => (error instanceof RequestFault ? error : { status: 500, message: 'Internal error' }),
  }
}

function isJson(type: string | undefined): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}
