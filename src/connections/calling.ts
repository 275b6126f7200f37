import type { JsonObject } from '../model/json.ts'

/** What is being asked right now: how many requests, and how often which tool. */
export class Calling {
  readonly #tools = new Map<string, number>()
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  begin(tool: string | undefined): void {
    this.#count++
    if (tool !== undefined) this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + 1)
  }

  end(tool: string | undefined): void {
    this.#count--
    if (tool === undefined) return
    const count = (this.#tools.get(tool) ?? 1) - 1
    if (count > 0) this.#tools.set(tool, count)
    else this.#tools.delete(tool)
  }

  /** The tool, if all calls are of the same one: only then it is known whose fault a crash is. */
  only(): string | undefined {
    const [tool, ...others] = this.#tools.keys()
    return others.length === 0 ? tool : undefined
  }
}

/** The tool that a request calls. */
export function toolOf(method: string, params: JsonObject | undefined): string | undefined {
  const name = method === 'tools/call' ? params?.['name'] : undefined
  return typeof name === 'string' ? name : undefined
}
