import v8 from 'node:v8'
import vm from 'node:vm'

/** The memory of this process after a collection; without one, the figure depends on the last collection. */
export function readMemoryUsage(): NodeJS.MemoryUsage {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage()
}
