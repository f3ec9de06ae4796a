import { defineMessages } from '../../platform/lib/messages.ts'

/** What is said of changes of departments and their rosters that are refused. */
export const departmentMessages = defineMessages('departments', {
  noDepartment: 'There is no such department',
  nameTaken: 'A department with this name is already there',
  occupied: 'People belong to this department: move or release them first',
  elsewhere: 'The name belongs to another department',
  inRoster: '{name} stands in the roster of the department {department}',
  namesakeStays: 'Another manager called {name} belongs to the department that they would leave',
})
