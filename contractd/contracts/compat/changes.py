def changes_between(old,new,direction): return ()
