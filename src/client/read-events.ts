import type { FeedEvent } from '../surfaces/api/feed.ts'

/** Reads server-sent events; each has one line of JSON. Comments, which keep the connection alive, are skipped. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  onAlive: () => void = () => undefined,
): AsyncGenerator<FeedEvent> {
  onAlive()
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onAlive()
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as FeedEvent // the server writes nothing else
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
