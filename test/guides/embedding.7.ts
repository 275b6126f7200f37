const cwd = process.cwd()
const { signal } = new AbortController()
const [name, args, onProgress, log] = ['search_issues', {}, () => undefined, (_event: unknown) => undefined]
//- snippet
