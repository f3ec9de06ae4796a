import v8 from 'node:v8'
import vm from 'node:vm'

/**
 * Collects garbage, then returns the memory usage of this process. Without a collection, the result depends on the time since the
 * last one.
 */
export function measureMemoryAfterGc(): NodeJS.MemoryUsage {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage()
}
