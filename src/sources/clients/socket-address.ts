/** `unix:///tmp/mcp.sock#/mcp` and `pipe:///pipe/name` mean HTTP over a local socket; the fragment is the request path. */
export interface SocketAddress {
  readonly socketPath: string
  /** The url for requests. Its host is a dummy, because the socket is the destination. */
  readonly url: string
}

export function socketAddress(url: string): SocketAddress | undefined {
  const [, socketPath, path = ''] = /^(?:unix|pipe):\/\/([^#]+)(?:#\/?(.*))?$/i.exec(url) ?? []
  return socketPath === undefined ? undefined : { socketPath, url: `http://localhost/${path}` }
}
