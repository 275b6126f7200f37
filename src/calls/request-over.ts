import type { Connection } from '../connections/connection.ts'
import type { OwnConnection } from '../connections/own-connections.ts'
import type { Json } from '../model/json.ts'
import type { ViewContext } from './view/view-context.ts'

/** Sends a request over the connection that it names, or over the one that all share. */
export async function requestOver(
  { lease, connectionOf }: Pick<ViewContext, 'lease' | 'connectionOf'>,
  server: string,
  own: OwnConnection | undefined,
  send: (connection: Connection) => Promise<Json>,
): Promise<Json> {
  if (!own) return send(await connectionOf(server))
  const { connection, release } = await lease(server, own)
  try {
    return await send(connection)
  } finally {
    release()
  }
}
