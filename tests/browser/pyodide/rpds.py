"""In the place of `rpds`, whose compiled part is not there for Pyodide: what jsonschema needs of its collections."""


class HashTrieMap(dict):
    @classmethod
    def convert(cls, value):
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key, value):
        return HashTrieMap({**self, key: value})

    def remove(self, key):
        return HashTrieMap({kept: self[kept] for kept in self if kept != key})

    def update(self, *others, **more):
        made = HashTrieMap(self)
        for other in (*others, more):
            dict.update(made, other)
        return made


class HashTrieSet(frozenset):
    def insert(self, value):
        return HashTrieSet(self | {value})

    def discard(self, value):
        return HashTrieSet(self - {value})

    remove = discard

    def update(self, *others):
        return HashTrieSet(self.union(*others))


class List(tuple):
    def push_front(self, value):
        return List((value, *self))
