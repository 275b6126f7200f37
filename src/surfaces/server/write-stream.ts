import type { ServerResponse } from 'node:http'

/**
 * Writes a stream that may last for days as the body of an answer. Hono's adapter would keep a promise for every part that it
 * has written, until the end.
 */
export async function writeStream(
  stream: ReadableStream<Uint8Array>,
  response: ServerResponse,
): Promise<void> {
  const reader = stream.getReader()
  let goOn = () => {}
  response.on('drain', () => goOn())
  response.once('close', () => {
    goOn()
    void reader.cancel().catch(() => undefined)
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || response.destroyed) break
      if (!response.write(value)) await new Promise<void>((resolve) => (goOn = resolve))
    }
    response.end()
  } catch (error) {
    response.destroy(error instanceof Error ? error : undefined)
  }
}
