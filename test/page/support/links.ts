import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** The connections that this process has accepted on one port, from the call on. */
export interface Links extends Disposable {
  /** Ends all of them, and every new one, until `mend`. */
  cut(): void
  mend(): void
}

export function watchLinks(port: () => number): Links {
  const sockets = new Set<Socket>()
  let isCut = false
  const onSocket = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket } // what node says of this channel
    if (socket.localPort !== port()) return
    if (isCut) socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  subscribe('net.server.socket', onSocket)
  return {
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => void (isCut = false),
    [Symbol.dispose]: () => void unsubscribe('net.server.socket', onSocket),
  }
}
