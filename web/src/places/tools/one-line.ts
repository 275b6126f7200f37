/** A signature of several lines in one, without its comments: `create_issue({ repo: string, body?: string })`. */
export function oneLine(signature: string): string {
  const lines = signature.split('\n').map((line) => line.replace(/ \/\/ .*$/, '').trim())
  return lines
    .map((line, index) => {
      const next = lines[index + 1]
      const isField = next !== undefined && !/[({[,]$/.test(line) && !/^[)}\]]/.test(next)
      return isField ? `${line},` : line
    })
    .join(' ')
    .trim()
}
