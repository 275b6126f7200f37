import { hashText } from './feature-hash.ts'
import { classesOf } from './sentence-features.ts'
import { wordClasses } from './word-classes.ts'

const classHashes = wordClasses.map((name) => hashText(`#${name}`))
/** By the indexes of both classes. */
const pairHashes = classHashes.map((hash) => wordClasses.map((other) => hashText(`+${other}`, hash)))

/** Features that are added to the number of those of a text. */
export const shortTexts = 25

/** The weight of what every text has. */
const always = hashText('')

/**
 * Weights by the hashes of features. Nothing is built when it is loaded: maps of the features would take 30 ms of the first scan.
 * That a feature which was never learned has the hash of one that was is possible once in 300,000 times.
 */
export class WeightTable {
  readonly #hashes: Uint32Array
  readonly #weights: Int8Array
  /** The text in which a feature was last counted: each counts once. */
  readonly #counted: Uint32Array
  #text = 0
  #sum = 0
  #count = 0

  /** @param encoded In base64: the hashes in rising order, four bytes each from the lowest on, then a byte for each weight. */
  constructor(encoded: string) {
    const bytes = Buffer.from(encoded, 'base64')
    const size = bytes.length / 5
    this.#hashes = new Uint32Array(size)
    for (let at = 0; at < size; at++) this.#hashes[at] = bytes.readUInt32LE(at * 4)
    this.#weights = new Int8Array(bytes.subarray(size * 4))
    this.#counted = new Uint32Array(size)
  }

  /**
   * The sum of the weights of a text, over the root of their number: a long text has no higher score for its length. The
   * number is raised so that few words need more weight than many.
   */
  scoreOf(stems: readonly string[]): number {
    this.#text++
    this.#sum = 0
    this.#count = 0
    this.#take(always)
    let before: number | undefined
    for (const stem of stems) {
      const hash = hashText(stem)
      this.#take(hash)
      if (before !== undefined) this.#take(hashText(stem, before))
      before = hashText(' ', hash)
    }
    const classes = classesOf(stems)
    for (const [at, one] of classes.entries()) {
      this.#take(classHashes[one])
      for (const other of classes.slice(at + 1)) this.#take(pairHashes[one]?.[other])
    }
    return this.#sum / Math.sqrt(this.#count + shortTexts)
  }

  #take(hash = 0): void {
    const at = this.#find(hash)
    if (at === undefined || this.#counted[at] === this.#text) return
    this.#counted[at] = this.#text
    this.#sum += this.#weights[at] ?? 0
    this.#count++
  }

  #find(hash: number): number | undefined {
    let low = 0
    let high = this.#hashes.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.#hashes[middle] ?? 0
      if (found === hash) return middle
      if (found < hash) low = middle + 1
      else high = middle - 1
    }
    return undefined
  }
}
