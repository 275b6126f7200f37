/** A part of a text: in both, only in the old one, or only in the new one. */
export interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** The comparisons that may still be made; shared by all texts of a definition. */
export interface WorkLeft {
  cells: number
}

/** Two texts of 1,500 other words each, in a few milliseconds; what needs more is shown as replaced. */
export function newWork(): WorkLeft {
  return { cells: 2_250_000 }
}

/**
 * The difference of two texts, word by word. The pieces that are not `added` make the old text, those that are not `removed`
 * the new one. Texts that differ in too many words are removed and added as a whole: the work is bounded.
 */
export function wordDifference(
  before: string,
  after: string,
  work: WorkLeft = newWork(),
): readonly TextPiece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  const start = commonLength(old, now)
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse())
  return joinPieces([
    ...toPieces('same', now.slice(0, start)),
    ...changedPieces(old.slice(start, old.length - end), now.slice(start, now.length - end), work),
    ...toPieces('same', now.slice(now.length - end)),
  ])
}

/** Words with the blanks behind them. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

function toPieces(kind: TextPiece['kind'], words: readonly string[]): readonly TextPiece[] {
  return words.length === 0 ? [] : [{ kind, text: words.join('') }]
}

function changedPieces(old: readonly string[], now: readonly string[], work: WorkLeft): readonly TextPiece[] {
  const cells = (old.length + 1) * (now.length + 1)
  if (old.length === 0 || now.length === 0 || cells > work.cells)
    return [...toPieces('removed', old), ...toPieces('added', now)]
  work.cells -= cells
  const lengths = commonLengths(old, now)
  const width = now.length + 1
  const pieces: TextPiece[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < now.length) {
    const [removed, added] = [old[i]!, now[j]!]
    if (removed === added) {
      pieces.push({ kind: 'same', text: added })
      i++
      j++
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
      pieces.push({ kind: 'removed', text: removed })
      i++
    } else {
      pieces.push({ kind: 'added', text: added })
      j++
    }
  }
  return [...pieces, ...toPieces('removed', old.slice(i)), ...toPieces('added', now.slice(j))]
}

/** The lengths of the longest common sequences of words behind each pair of places, row by row. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const width = now.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
  return lengths
}

/** Between two common parts, what was removed is one piece, and what was added another. */
function joinPieces(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const joined: TextPiece[] = []
  const pending = { same: '', removed: '', added: '' }
  const end = (...kinds: readonly TextPiece['kind'][]) => {
    for (const kind of kinds) {
      if (pending[kind] !== '') joined.push({ kind, text: pending[kind] })
      pending[kind] = ''
    }
  }
  for (const { kind, text } of pieces) {
    if (kind === 'same') end('removed', 'added')
    else end('same')
    pending[kind] += text
  }
  end('same', 'removed', 'added')
  return joined
}
