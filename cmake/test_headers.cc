// The headers that tests share are compiled with this file, and it has nothing else in it.
