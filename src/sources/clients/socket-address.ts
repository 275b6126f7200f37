/** `unix:///tmp/mcp.sock#/mcp` and `pipe:///pipe/name` are http over a local socket; the fragment is the path there. */
export interface SocketAddress {
  readonly socketPath: string
  /** For the requests: their host is nobody, since the socket says where they go. */
  readonly url: string
}

export function socketAddress(url: string): SocketAddress | undefined {
  const [, socketPath, path = ''] = /^(?:unix|pipe):\/\/([^#]+)(?:#\/?(.*))?$/i.exec(url) ?? []
  return socketPath === undefined ? undefined : { socketPath, url: `http://localhost/${path}` }
}
