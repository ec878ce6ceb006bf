print("heddle")
