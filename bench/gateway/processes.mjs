import { readFileSync, readdirSync } from 'node:fs'

const ticksPerSecond = 100

/** CPU time of one process so far, in microseconds. */
export function cpuUs(pid) {
  const fields = statOf(pid)
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6
}

/** Memory of a process and of everything it started, and how many those are. */
export function treeOf(pid) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(
    all.flatMap((each) => {
      try {
        return [[Number(each), Number(statOf(each)[1])]]
      } catch {
        return []
      }
    }),
  )
  const inTree = (each) =>
    each === pid || (parents.has(each) && parents.get(each) > 1 && inTree(parents.get(each)))
  const tree = [...parents.keys()].filter(inTree)
  return {
    ownMb: rssMb(pid),
    allMb: tree.reduce((sum, each) => sum + rssMb(each), 0),
    children: tree.length - 1,
  }
}

/** The fields of /proc/PID/stat after the name, which may hold blanks. */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function rssMb(pid) {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1e6
  } catch {
    return 0
  }
}
