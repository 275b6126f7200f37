/** Reads a place in arguments as problems write it: `filter.labels[2]["odd key"]`. */
export function readArgumentPath(path: string): readonly (string | number)[] {
  return [...path.matchAll(parts)].map(([, index, quoted, plain]) => {
    if (index !== undefined) return Number(index)
    return quoted === undefined ? (plain ?? '') : (JSON.parse(quoted) as string) // matched as a JSON string
  })
}

const parts = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.[\]]+)/g
