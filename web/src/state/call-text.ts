import { send } from './client.ts'

const pieceLength = 1_000_000

/** Reads a long text of a result in pieces. */
export async function* readCallText(
  call: string,
  block: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void> {
  for (let from = 0; ; from += pieceLength) {
    const query = { block, from: String(from), to: String(from + pieceLength) }
    const answer = await send(
      'GET /api/calls/:call/text',
      { params: { call }, query },
      signal ? { signal } : {},
    )
    yield answer.text
    if (from + pieceLength >= answer.length) return
  }
}

export async function wholeCallText(call: string, block: number): Promise<string> {
  const pieces: string[] = []
  for await (const piece of readCallText(call, String(block))) pieces.push(piece)
  return pieces.join('')
}
